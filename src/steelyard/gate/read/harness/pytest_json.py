"""pytest with pytest-json-report (`--json-report`): a task per test; its duration is not the subject's cost."""

from __future__ import annotations

from typing import Any

from steelyard.gate.model import UNKNOWN_COST, Gap, Run
from steelyard.gate.read.harness.values import Table, name, run_of, table, tables

_NO_RUN = ("skipped", "deselected")
_GOOD = ("passed", "xfailed")
"""A test that is expected to fail and does is as good as one that passes; one that passes by surprise is not."""


def runs(data: Any, source: str) -> list[Run | Gap]:
    """The runs in a report."""
    tests = tables(table(data).get("tests"))
    return [_run(test, source) for test in tests if test.get("outcome") not in _NO_RUN]


def _run(test: Table, source: str) -> Run:
    return run_of(name(test.get("nodeid"), source), (), test.get("outcome") in _GOOD, UNKNOWN_COST)
