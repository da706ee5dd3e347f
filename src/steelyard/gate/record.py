"""What a gate run leaves in its score, and how it is read back.

Summaries of a log keep only small fields, so the numbers stand flat and apart from the long outputs: `weigh` never
opens a full sample. Check results travel as one character each, in the order of the names in the stamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from steelyard.gate.model import METRICS, Cost, Run

SCORER = "gate"
"""The registered scorer, and the key of its score in a log."""

SCORER_VERSION = 1
"""1: first shape."""

COST_FIELDS = (*METRICS, "cost_usd")


def as_metadata(run: Run, order: Sequence[str], *, claimed: Sequence[str] = ()) -> dict[str, Any]:
    """The small fields of a run's score; `order` names its checks."""
    return {
        "passed": int(run.passed),
        "total": int(run.total),
        "results": "".join("1" if run.checks.get(name) else "0" for name in order),
        "judge": run.judge,
        "judge_missing": run.judge_missing,
        "judge_weight": run.judge_weight,
        "cost": asdict(run.cost),
        "claimed": list(claimed),
        "note": run.note,
    }


def from_metadata(task: str, metadata: Mapping[str, Any], order: Sequence[str]) -> Run | None:
    """The run behind a score's metadata; None when it is not ours or damaged."""
    cost = metadata.get("cost")
    try:
        known = cast(Mapping[str, Any], cost if isinstance(cost, dict) else {})
        results = str(metadata.get("results") or "")
        return Run(
            task=task,
            passed=float(metadata["passed"]),
            total=float(metadata["total"]),
            judge=_optional(metadata.get("judge")),
            judge_missing=cast(str | None, metadata.get("judge_missing")),
            judge_weight=float(metadata.get("judge_weight", 0.4)),
            cost=Cost(**{name: _optional(known.get(name)) for name in COST_FIELDS}),
            checks={name: mark == "1" for name, mark in zip(order, results, strict=False)},
            note=cast(str | None, metadata.get("note")),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _optional(value: Any) -> float | None:
    return None if value is None else float(value)
