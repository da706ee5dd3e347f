"""The metadata of a gate run's score: written after the checks, read back for a comparison.

The summaries of a log keep only small fields, so the numbers are separate from the long outputs and a comparison never
opens a full sample. Check results are one character each, in the order of the names in the log's stamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, cast

from steelyard.artifact import table
from steelyard.errors import LogError
from steelyard.gate.config.used import from_marks
from steelyard.gate.model import COST_FIELDS, JUDGE_WEIGHT, Cost, Run
from steelyard.gate.steps import Activation
from steelyard.outcome import Outcome, Scored, Unscored
from steelyard.rows import LogRow

SCORER = "gate"
"""The registered scorer, and the key of its score in a log."""

JUDGE = "gate_judge"
"""The registered scorer of the judge."""

STORE = "steelyard_gate"
"""Key of the sample's store that keeps what the judge grades, so that it can be graded again."""

PAIRWISE = "pairwise"
"""Key of a log's stamp: the tasks whose results are compared in pairs."""

PARTS = "parts"
"""Key of a log's stamp: the parts of the configuration, in the order in which each run says whether it used them."""

RUBRICS = "rubrics"
"""Key of a log's stamp: task → the hash of what its results are judged by."""

SCORER_VERSION = 2
"""1: first shape. 2: cached tokens count by their price."""


class Position(NamedTuple):
    """Which part of a gate run a log is."""

    round: int = 1
    watch: int = 0
    """Number of the extra round for watched tasks after that round; 0 for a full round."""
    start: int = 0
    """Evaluations of this part that earlier starts had made."""
    rounds: int = 1
    """How many rounds were planned."""


def position_of(row: LogRow) -> Position:
    """The position that a log's stamp names; raises `LogError` for one that is none."""
    extra = {} if row.stamp is None else row.stamp.extra
    named = {name: extra[name] for name in Position._fields if extra.get(name) is not None}
    for name, value in named.items():
        if type(value) is not int or value < 0:
            raise LogError(f"{row.path}: its stamp names {value!r} as its {name}")
    return Position(**named)


def as_metadata(run: Run, order: Sequence[str]) -> dict[str, Any]:
    """The small fields of a run's score; `order` names its checks."""
    return {
        "passed": int(run.passed),
        "total": int(run.total),
        "results": "".join("1" if run.checks.get(name) else "0" for name in order),
        "judge_weight": run.judge_weight,
        "cost": asdict(run.cost),
        "claims": asdict(run.claims),
        "note": run.note,
        **({"idle": run.idle} if run.idle is not None else {}),
        **({"activation": asdict(run.activation)} if run.activation is not None else {}),
    }


def from_metadata(
    task: str, metadata: Mapping[str, Any], order: Sequence[str], judge: Outcome | None, parts: Sequence[str] = ()
) -> Run | None:
    """The run in a score's metadata, with the judge's outcome; None if the metadata is foreign or damaged.

    `order` names its checks, `parts` what the configuration consists of.
    """
    try:
        results = str(metadata.get("results") or "")
        return Run(
            task=task,
            passed=float(metadata["passed"]),
            total=float(metadata["total"]),
            judge=judge.value if isinstance(judge, Scored) else None,
            judge_missing=judge.reason if isinstance(judge, Unscored) else None,
            judge_weight=float(metadata.get("judge_weight", JUDGE_WEIGHT)),
            cost=_cost(metadata.get("cost")),
            claims=_cost(metadata.get("claims")),
            # A log's summary drops a very long row of results; then no check is known by name.
            checks={name: mark == "1" for name, mark in zip(order, results, strict=False)},
            note=cast(str | None, metadata.get("note")),
            idle=cast(str | None, metadata.get("idle")),
            parts=from_marks(parts, metadata.get("parts")),
            activation=_activation(metadata.get("activation")),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _activation(value: Any) -> Activation | None:
    if not isinstance(value, dict):
        return None
    fields = table(value)
    expected, near = fields.get("expected"), fields.get("near_miss")
    return Activation(expected if isinstance(expected, bool) else None, fields.get("activated") is True, near)


def _cost(value: Any) -> Cost:
    amounts = {name: table(value).get(name) for name in COST_FIELDS}
    return Cost(**{name: None if amount is None else float(amount) for name, amount in amounts.items()})
