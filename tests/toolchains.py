"""The programs of Rust and Go for tests that need them."""

from __future__ import annotations

import shutil

import pytest


def toolchain(runner: str) -> None:
    """Skip a test, and say so, without the program."""
    if shutil.which(runner) is None:
        pytest.skip(f"{runner} is not installed: apt-get install {'golang-go' if runner == 'go' else runner}")
