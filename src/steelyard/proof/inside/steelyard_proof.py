"""A plugin of pytest that runs inside the sandbox: the outcome of every test, by its id, as one line of JSON.

A test that ran has a setup, a call and a teardown; its outcome is the worst of them. An expected failure that failed
counts as passed. A file that cannot be collected is an outcome of its own, `error`.
"""

import json
import os
from typing import Any

RANK = {"passed": 0, "skipped": 1, "failed": 2}
outcomes: dict[str, str] = {}
errors: dict[str, str] = {}


def pytest_runtest_logreport(report: Any) -> None:
    state = "passed" if hasattr(report, "wasxfail") and report.outcome == "skipped" else report.outcome
    outcomes[report.nodeid] = max(state, outcomes.get(report.nodeid, "passed"), key=RANK.__getitem__)


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        lines = str(report.longrepr).strip().splitlines()
        told = [line for line in lines if line.startswith("E ")] or lines
        errors[report.nodeid] = told[-1].removeprefix("E").strip()[:300] if told else "it cannot be collected"


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    with open(os.environ["STEELYARD_PROOF"], "w", encoding="utf-8") as file:
        json.dump({"outcomes": outcomes, "errors": errors}, file)
