"""Every test of the audit has its own cache and no judge of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def isolated(own_cache: Path) -> None:
    """Use `own_cache` in every test."""
