"""DeepEval (a test run that it saved): a task per test case, a check per metric.

A metric that gave no score because its own model failed makes the run a gap.
"""

from __future__ import annotations

from typing import Any

from steelyard.gate.model import UNKNOWN_COST, Gap, Run
from steelyard.gate.read.harness.values import Table, name, run_of, table, tables


def runs(data: Any, source: str) -> list[Run | Gap]:
    """The runs in a saved test run; the file that DeepEval keeps for itself wraps it in `testRunData`."""
    top = table(table(data).get("testRunData") or data)
    cases = [*tables(top.get("testCases")), *tables(top.get("conversationalTestCases"))]
    return [_run(case, source) for case in cases]


def _run(case: Table, source: str) -> Run | Gap:
    named = case.get("name")
    # Cases that nobody named are called test_case_0, test_case_1 …, which says nothing across runs.
    task = name(case.get("input") if not named or str(named).startswith("test_case_") else named, source)
    metrics = tables(case.get("metricsData"))
    broken = next((metric for metric in metrics if metric.get("error")), None)
    if broken is not None:
        return Gap(task, 1, "judge", f"{broken.get('name')}: {broken.get('error')}"[:300], source)
    checks = [(str(metric.get("name") or "metric"), metric.get("success") is True) for metric in metrics]
    # `runDuration` and `evaluationCost` are those of the metrics, not of the subject.
    return run_of(task, checks, case.get("success") is True, UNKNOWN_COST)
