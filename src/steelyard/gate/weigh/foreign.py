"""Scores of Inspect logs of any task, as runs that can be compared (docs/scoring.md §3.4). Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from steelyard.gate.model import NoVerdict, Run


def foreign_runs(base: Sequence[Run], cand: Sequence[Run]) -> tuple[Sequence[Run], Sequence[Run]] | NoVerdict:
    """Scores of any task: one objective check if all are 0 or 1, else composites in [0, 1]."""
    values = {run.composite for run in (*base, *cand)}
    outside = next((value for value in values if value is not None and not 0 <= value <= 1), None)
    if outside is not None:
        reason = f"the scorer gives numbers outside [0, 1] ({outside:g})"
        return NoVerdict((reason,), ("choose a score between 0 and 1 with --scorer",))
    if values <= {0.0, 1.0}:
        return [_as_check(run) for run in base], [_as_check(run) for run in cand]
    return [_as_composite(run) for run in base], [_as_composite(run) for run in cand]


def _as_check(run: Run) -> Run:
    return run if run.total else dataclasses.replace(run, passed=run.composite or 0.0, total=1)


def _as_composite(run: Run) -> Run:
    return dataclasses.replace(run, passed=0, total=0) if run.total else run
