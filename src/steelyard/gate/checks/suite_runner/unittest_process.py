"""The tests of one process, run by `unittest`."""

from __future__ import annotations

import random
import sys
import traceback
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from .controls import Controls
from .sources import Record, Selection


class ReportingResult(unittest.TestResult):
    """Reports the worst thing that happened to a test, and nothing unless something did."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._record = record
        self._states: dict[int, str] = {}

    def stopTest(self, test: Any) -> None:
        super().stopTest(test)
        # Silence is a failure.
        state = self._states.pop(id(test), "failed")
        self._record(test.id(), type(test).__qualname__, test._testMethodName, state)

    def addSuccess(self, test: Any) -> None:
        self._states.setdefault(id(test), "passed")

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self._states.setdefault(id(test), "passed")

    def addSkip(self, test: Any, reason: str) -> None:
        self._states.setdefault(id(test), "skipped")
        # The whole class or module was skipped.
        if not hasattr(test, "_testMethodName"):
            self._record(str(test), "", str(test), "skipped")

    def addFailure(self, test: Any, err: Any) -> None:
        self._fail(test, err)

    def addUnexpectedSuccess(self, test: Any) -> None:
        self._states[id(test)] = "failed"

    def addError(self, test: Any, err: Any) -> None:
        self._fail(test, err)
        if not hasattr(test, "_testMethodName"):  # the fixture of a class or module
            self._record(str(test), "", str(test), "failed")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self._fail(test, err)

    def _fail(self, test: Any, err: Any) -> None:
        self._states[id(test)] = "failed"
        sys.stderr.write(f"{test}\n{''.join(traceback.format_exception(*err))}\n")


def run(path: Path, top: Path, selection: Selection, controls: Controls, record: Record) -> bool:
    """Run the selected tests, each class with its controls; whether the file has generated tests."""
    folder = path if path.is_dir() else path.parent
    collected = unittest.TestLoader().discover(str(folder), pattern=selection.file.name, top_level_dir=str(folder))
    own = [test for test in _flat(collected) if _belongs(test, selection)]
    reasons = {id(test): reason for test in own if (reason := _reason(test))}
    for test in (test for test in own if id(test) in reasons):
        record(test.id(), "", f"{selection.file.name} ({reasons[id(test)]})", "failed")
    usable = [test for test in own if id(test) not in reasons]
    selected = [test for test in usable if _is_broken(test) or selection.selects(test._testMethodName)]
    classes = list(dict.fromkeys(cast("type[Any]", type(test)) for test in selected))
    for owner in classes:
        controls.add_to(owner, method=True)
        tests = [test for test in selected if type(test) is owner]
        tests += [owner(controls.passing), owner(controls.failing)]
        # Shuffled, so that their position does not give the control tests away.
        random.shuffle(tests)
        unittest.TestSuite(tests).run(ReportingResult(record))
    return any(test._testMethodName not in selection.known for test in own if not _is_broken(test))


def _reason(test: Any) -> str:
    """Why the file of a test could not be imported, on one line; empty if it could."""
    lines = str(getattr(test, "_exception", "")).strip().splitlines() if _is_broken(test) else []
    return lines[-1] if lines else ""


def _flat(tests: Any) -> Iterator[Any]:
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from _flat(test)
        else:
            yield test


def _belongs(test: Any, selection: Selection) -> bool:
    module = sys.modules.get(type(test).__module__)
    # A test class imported from another file runs in that file's processes.
    return _is_broken(test) or getattr(module, "__file__", None) == str(selection.file)


def _is_broken(test: Any) -> bool:
    """A module that cannot be imported is a test that fails."""
    return type(test).__module__.startswith("unittest.")
