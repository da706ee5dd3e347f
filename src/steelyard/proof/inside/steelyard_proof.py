"""A plugin of pytest that runs inside the sandbox: the outcome of every test, by its id, as one line of JSON.

A test that ran has a setup, a call and a teardown; its outcome is the worst of them. An expected failure that failed
counts as passed. A file that cannot be collected is an outcome of its own, `error`.

STEELYARD_PROOF     where the report goes
STEELYARD_TESTS     a file with the ids of the tests to run; all that were collected if absent
STEELYARD_COVERAGE  the folder whose lines are followed: which test runs which of them; nothing is followed if absent
"""

import base64
import json
import os
import sys
import threading
import zlib
from types import CodeType, FrameType
from typing import Any

import pytest

RANK = {"passed": 0, "skipped": 1, "failed": 2}
outcomes: dict[str, str] = {}
errors: dict[str, str] = {}
places: dict[str, tuple[str, int]] = {}
"""Test id → file and line of its function."""


class Lines:
    """Follows the lines of one folder while a test runs; a function whose lines were all seen is left alone."""

    def __init__(self, folder: str) -> None:
        self.folder = f"{folder}/"
        self.tests: list[str] = []
        self.covered: dict[str, dict[int, list[int]]] = {}
        self.left: dict[CodeType, set[int]] = {}
        """Code → lines that this test has not run yet."""
        self.inside: dict[str, bool] = {}

    def begin(self, test: str) -> None:
        self.tests.append(test)
        self.left = {}
        threading.settrace(self.follow)
        sys.settrace(self.follow)

    def end(self) -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        number = len(self.tests) - 1
        for code, left in self.left.items():
            lines = self.covered.setdefault(code.co_filename[len(self.folder) :], {})
            for line in known_lines(code) - left:
                lines.setdefault(line, []).append(number)

    def follow(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        left = self.left.get(code)
        if left is None:
            name = code.co_filename
            if name not in self.inside:
                self.inside[name] = name.startswith(self.folder)
            if not self.inside[name]:
                return None
            left = self.left[code] = set(known_lines(code))
        left.discard(frame.f_lineno)
        return self.step if left else None

    def step(self, frame: FrameType, event: str, arg: Any) -> Any:
        left = self.left.get(frame.f_code)
        if not left:
            return None
        left.discard(frame.f_lineno)
        return self.step

    def packed(self) -> str:
        data = json.dumps({"tests": self.tests, "covered": self.covered})
        return base64.b64encode(zlib.compress(data.encode())).decode()


def known_lines(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line}


folder = os.environ.get("STEELYARD_COVERAGE")
lines = Lines(folder) if folder else None


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    path = os.environ.get("STEELYARD_TESTS")
    if path:
        with open(path, encoding="utf-8") as file:
            wanted = set(json.load(file))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
        items[:] = [item for item in items if item.nodeid in wanted]
    for item in items:
        code = getattr(getattr(item, "function", None), "__code__", None)
        if code is not None:
            places[item.nodeid] = (code.co_filename, code.co_firstlineno)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: Any) -> Any:
    if lines is not None:
        lines.begin(item.nodeid)
    yield
    if lines is not None:
        lines.end()


def pytest_runtest_logreport(report: Any) -> None:
    if report.outcome == "rerun":  # an attempt of pytest-rerunfailures; the last one has an outcome of pytest
        return
    state = "passed" if hasattr(report, "wasxfail") and report.outcome == "skipped" else report.outcome
    outcomes[report.nodeid] = max(state, outcomes.get(report.nodeid, "passed"), key=RANK.__getitem__)


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        told = str(report.longrepr).strip().splitlines()
        told = [line for line in told if line.startswith("E ")] or told
        errors[report.nodeid] = told[-1].removeprefix("E").strip()[:300] if told else "it cannot be collected"


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    session.config.option.no_summary = True  # nobody reads it, and Hypothesis imports all of itself for it
    report: dict[str, Any] = {"outcomes": outcomes, "errors": errors, "places": places, "cpu_s": sum(os.times()[:4])}
    if lines is not None:
        report["lines"] = lines.packed()
    with open(os.environ["STEELYARD_PROOF"], "w", encoding="utf-8") as file:
        json.dump(report, file)
