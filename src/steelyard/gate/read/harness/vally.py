"""Vally (dotnet/skills; `results.jsonl` of one variant): a task per stimulus, a check per grader, trials are epochs."""

from __future__ import annotations

from typing import Any

from steelyard.errors import InputError
from steelyard.gate.model import Cost, Gap, Run
from steelyard.gate.read.harness.values import Table, name, number, run_of, table, tables


def runs(data: Any, source: str) -> list[Run | Gap]:
    """The trials in a file of one variant."""
    trials = [line for line in tables(data) if line.get("type") == "trial-result"]
    variants = {str(trial.get("variant")) for trial in trials}
    if len(variants) > 1:
        found = ", ".join(sorted(variants))
        raise InputError(f"{source} holds several variants: {found}", cure="name the results of one variant per side")
    return [_run(trial, source) for trial in trials]


def _run(trial: Table, source: str) -> Run | Gap:
    task = f"{trial.get('evalName') or ''}/{name(trial.get('stimulus'), source)}".lstrip("/")
    graded = table(trial.get("gradeResult"))
    if not graded:
        return Gap(task, 1, "harness", f"not graded: {trial.get('status') or 'unknown'}", source)
    checks = [(str(part.get("name") or "grader"), part.get("passed") is True) for part in tables(graded.get("details"))]
    metrics = table(table(trial.get("trajectory")).get("metrics"))
    cost = Cost(
        tokens=number(table(metrics.get("tokenUsage")).get("totalTokens")),
        tool_calls=number(metrics.get("toolCallCount")),
        steps=number(metrics.get("turnCount")),
        wall_clock_ms=number(metrics.get("wallTimeMs")) or number(trial.get("durationMs")),
    )
    return run_of(task, checks, graded.get("passed") is True, cost)
