"""What this machine lacks, and may not install, is left out aloud: without bubblewrap there is no sandbox to test.

A test that fails is skipped if its failure names a part that does not work here; a failure for any other reason stays
one. A part is tried when a failure names it; the sandbox before any test, and not in the surroundings of the test that
failed: one that hides bubblewrap from itself would have hidden it from all tests after it.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Generator
from functools import cache
from typing import Any, NamedTuple

import pytest
from click.testing import Result


class Part(NamedTuple):
    """Something that is not a Python package."""

    named: re.Pattern[str]
    """How a failure names it."""
    works: Callable[[], bool]
    cure: str


@cache
def _sandbox_works() -> bool:
    from steelyard.sandbox.choose import try_bubblewrap

    return try_bubblewrap().works


def _openmp_works() -> bool:
    try:
        ctypes.CDLL("libgomp.so.1")
    except OSError:
        return False
    return True


def _browser_works() -> bool:
    return any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))


PARTS = {
    "bubblewrap": Part(re.compile("bubblewrap|bwrap|sandbox", re.IGNORECASE), _sandbox_works, "bubblewrap"),
    "libgomp": Part(re.compile(r"libgomp|\bSmolLM2\b"), _openmp_works, "libgomp1"),
    "chromium": Part(re.compile("chromium is needed"), _browser_works, "chromium"),
    "node": Part(re.compile("does not have the program 'node'"), lambda: shutil.which("node") is not None, "nodejs"),
}


@cache
def _works(name: str) -> bool:
    return PARTS[name].works()


def lacking(failure: str) -> str | None:
    """The part that a failure names and that does not work here."""
    return next((name for name, part in PARTS.items() if part.named.search(failure) and not _works(name)), None)


def _printed(call: pytest.CallInfo[None]) -> str:
    """What the commands of a failed test printed: an assertion about an exit code does not show it."""
    found = call.excinfo.traceback[-1].frame.f_locals.values() if call.excinfo else ()
    return " ".join(str(done.stderr) for done in found if isinstance(done, Result | subprocess.CompletedProcess))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    from steelyard.sandbox.choose import try_bubblewrap

    _sandbox_works()
    try_bubblewrap()  # again if a test has made the product forget it


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and report.when != "teardown" and (name := lacking(report.longreprtext + _printed(call))):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: {name} does not work here")
        report.user_properties.append(("lacks", name))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line per part that was missed, and none where everything works."""
    skipped = terminalreporter.stats.get("skipped", ())
    missed = Counter(value for report in skipped for name, value in report.user_properties if name == "lacks")
    if missed:
        terminalreporter.section("left out on this machine")
    for name, number in missed.items():
        terminalreporter.line(f"{name}: {number} tests did not run (ask for: apt-get install {PARTS[name].cure})")
