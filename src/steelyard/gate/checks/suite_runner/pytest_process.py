"""The tests of one process, run by pytest."""

from __future__ import annotations

import contextlib
import os
import random
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from unittest import TestCase

import pytest  # once, in the parent: it is the slowest import of all
from _pytest.config import default_plugins

from .controls import Controls
from .sources import Record, Selection

for plugin in default_plugins:  # else each process of a test would import those that `import pytest` leaves out
    with contextlib.suppress(ImportError):
        import_module(f"_pytest.{plugin}")

_RANK = {"passed": 0, "skipped": 1, "failed": 2}


class ReportingPlugin:
    """Selects the tests of the process, adds the controls and reports the worst phase of each test."""

    def __init__(self, selection: Selection, controls: Controls, record: Record, *, shown: bool) -> None:
        self._selection, self._controls, self._record, self._shown = selection, controls, record, shown
        self.generated = False
        """Whether the file has tests that its source does not name."""
        self._tests: dict[str, tuple[str, str]] = {}
        self._states: dict[str, list[str]] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the selected tests and add two control tests to each of their classes or modules."""
        kept = [item for item in items if self._selection.selects(_name(item))]
        self.generated = any(_name(item) not in self._selection.known for item in items)
        for parent, item in {item.parent: item for item in kept}.items():
            self._controls.add_to(parent.obj, method=isinstance(parent, pytest.Class))
            names = (self._controls.passing, self._controls.failing)
            kept += [_form(item).from_parent(parent, name=name) for name in names]
        # Shuffled, so that their position does not give the control tests away.
        random.shuffle(kept)
        self._tests = {item.nodeid: (_owner(item), _name(item)) for item in kept}
        items[:] = kept

    def pytest_sessionfinish(self, session: Any) -> None:
        # Wherever Hypothesis is installed, it imports all of itself for the summary: five times the work of one test.
        session.config.option.no_summary = not self._shown

    def pytest_runtest_logreport(self, report: Any) -> None:
        # pytest reports an expected failure as skipped.
        state = "passed" if hasattr(report, "wasxfail") and report.outcome == "skipped" else report.outcome
        self._states.setdefault(report.nodeid, []).append(state)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        states = self._states.pop(nodeid, [])
        owner, name = self._tests.get(nodeid, ("", nodeid))
        # A test that ran has a setup, a call and a teardown.
        state = max(states, key=_RANK.__getitem__) if len(states) == 3 or "skipped" in states else "failed"
        self._record(nodeid, owner, name, state)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            told = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
            reason = f" ({told[-1]})" if told else ""
            self._record(report.nodeid, "", f"{report.nodeid}{reason}", "failed")


def run(path: Path, top: Path, selection: Selection, controls: Controls, record: Record, *, shown: bool) -> bool:
    """Run the selected tests, each class or module with its controls; `shown`: somebody reads what pytest prints."""
    # The work folder is the root: a root with an `__init__.py` in it is a package without a name to pytest 7. No
    # settings file is read, because one in the tree may be the agent's.
    fixed = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(Path.cwd()), "--confcutdir", str(top)]
    # Each control that must fail has a traceback, which takes as long as a test.
    fixed += ["--import-mode=importlib", *([] if shown else ["--tb=no"])]
    plugin = ReportingPlugin(selection, controls, record, shown=shown)
    pytest.main([*fixed, str(selection.file)], plugins=[plugin])
    return plugin.generated


def _form(item: Any) -> Any:
    """What a control test beside a test is: pytest 7 sets up a `TestCase` for no other function than its own."""
    ours = isinstance(item.parent.obj, type) and issubclass(item.parent.obj, TestCase)
    return cast(Any, type(item) if ours else pytest.Function)


def _name(item: Any) -> str:
    return getattr(item, "originalname", None) or item.name.partition("[")[0]


def _owner(item: Any) -> str:
    return item.cls.__qualname__ if getattr(item, "cls", None) else ""
