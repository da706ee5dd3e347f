"""The real Docker engine in tests: whether it ran, with which image, and if not, why. Never in silence.

A test that uses the fixture `docker` runs if an engine answers that has the image named by STEELYARD_TEST_IMAGE, or the
image that the product uses by default.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from steelyard.sandbox.choose import IMAGE, try_docker

WANTED = os.environ.get("STEELYARD_TEST_IMAGE") or IMAGE
SANDBOX = f"docker:{WANTED}"
"""What `--sandbox` gets."""


@pytest.fixture
def docker(record_property: Any) -> str:
    """The id of an image that works; skips the test if there is none."""
    trial = try_docker(WANTED)
    if not trial.works:
        pytest.skip(f"docker: {trial.detail} ({trial.cure})")
    record_property("docker", WANTED)
    return trial.detail


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line in every run of pytest."""
    ran = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, ())
           if report.when == "call" and ("docker", WANTED) in report.user_properties]  # fmt: skip
    terminalreporter.section("docker")
    if ran:
        terminalreporter.line(f"{len(ran)} tests ran in containers of {WANTED}")
    else:
        reasons = {str(report.longrepr[-1]) for report in terminalreporter.stats.get("skipped", ())
                   if "Skipped: docker: " in str(report.longrepr)}  # fmt: skip
        terminalreporter.line("no test ran in a container: " + ("; ".join(reasons) or "none was selected"))
