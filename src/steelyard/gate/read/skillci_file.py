"""Results of SkillCI, as its evaluation returns them: the outcome of one side, or the whole evaluation with both.

    {"configLabel": "baseline", "scores": [{"taskId": "t1",
      "objective": {"passed": 3, "total": 4, "details": [{"check": {…}, "passed": true}, …]},
      "judge": {"score0to1": 0.8, "rationale": "…"},
      "cost": {"tokens": 1200, "toolCalls": 5, "steps": 4, "wallClockMs": 8000, "costUsd": 0.02},
      "composite": 0.84}]}

    {"baselineOutcome": {…}, "candidateOutcome": {…}, …}

The composite is used as it is: it already contains the judge and the cost. A number that is not finite is null in JSON,
so a null composite is a value that is not finite. Fields that are not named here are ignored. SkillCI's own report
(`schemaVersion`, `tasks`) holds differences only, not how many checks there are, and is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from steelyard.artifact import read_head, read_text
from steelyard.errors import InputError
from steelyard.gate.checks.check import unique_names
from steelyard.gate.model import Arm, Cost, Run, by_task
from steelyard.gate.read.results_file import (
    counts,
    entries,
    json_in,
    mapping,
    measured,
    number,
    results_arm,
    task_name,
)
from steelyard.logs.identity import sha256_of

if TYPE_CHECKING:
    from steelyard.location import Location

_HEAD = 4096
"""Bytes that are looked at to recognize a file."""
_MARKS = (b'"configLabel"', b'"perTaskDeltas"', b'"promotable"')
"""Keys near the beginning of an outcome, of an evaluation and of a report."""
_COST = {
    "tokens": "tokens",
    "tool_calls": "toolCalls",
    "steps": "steps",
    "wall_clock_ms": "wallClockMs",
    "cost_usd": "costUsd",
}
_JSON = Mapping[str, Any]


def recognizes(path: Location) -> bool:
    """Whether `path` is a file of SkillCI."""
    if path.suffix != ".json" or not path.is_file():
        return False
    head = read_head(path, _HEAD)
    return any(mark in head for mark in _MARKS)


def read(path: Location) -> Arm:
    """The arm in a file with one side."""
    data = _data(path)
    if "baselineOutcome" in data:
        raise InputError(f"{path} holds both sides of an evaluation", cure="name it alone, without a second file")
    return _arm(data, str(path))


def read_both(path: Location) -> tuple[Arm, Arm] | None:
    """Both arms in a file with a whole evaluation; None if it is anything else."""
    if not recognizes(path):
        return None
    data = _data(path)
    if "baselineOutcome" not in data:
        return None
    sides = {key.removesuffix("Outcome"): data.get(key) for key in ("baselineOutcome", "candidateOutcome")}
    baseline, candidate = (_arm(mapping(side, f"{path}: {label}Outcome"), str(path)) for label, side in sides.items())
    if (baseline.side.label, candidate.side.label) != tuple(sides):
        raise InputError(f"{path}: a `configLabel` contradicts the side it is on")
    return baseline, candidate


def _data(path: Location) -> _JSON:
    data = mapping(json_in(read_text(path), str(path)), str(path))
    if "tasks" in data and "scores" not in data:
        raise InputError(
            f"{path} is a report of SkillCI, which holds differences only",
            cure="save the evaluation itself, with baselineOutcome and candidateOutcome",
        )
    return data


def _arm(data: _JSON, source: str) -> Arm:
    label = data.get("configLabel")
    if label not in ("baseline", "candidate"):
        raise InputError(f"{source}: `configLabel` must be baseline or candidate")
    scores = entries(data, source)
    runs = [_run(score, f"{source}, {label} score {place}") for place, score in enumerate(scores, 1)]
    if twice := next((task for task, own in by_task(runs).items() if len(own) > 1), None):
        raise InputError(f"{source}: the task {twice!r} has two scores")
    return results_arm(str(label), [measured(run, source) for run in runs], (source,), {sha256_of(scores): source})


def _run(entry: Any, where: str) -> Run:
    score = mapping(entry, where)
    task = task_name(score, "taskId", where)
    where = f"{where} ({task!r})"
    objective = mapping(score.get("objective"), f"{where}, objective")
    passed, total = counts(objective, where)
    checks = _checks(objective, where)
    if checks and (len(checks), sum(checks.values())) != (total, passed):
        raise InputError(f"{where}: its details contradict {passed:g} of {total:g} checks passed")
    judge = score.get("judge")
    cost = mapping(score.get("cost") or {}, f"{where}, cost")
    return Run(
        task=task,
        passed=passed,
        total=total,
        judge=None if judge is None else number(mapping(judge, f"{where}, judge"), "score0to1", where, high=1.0),
        cost=Cost(**{name: number(cost, key, f"{where}, cost", high=None) for name, key in _COST.items()}),
        checks=checks,
        composite=_composite(score, where),
    )


def _composite(score: _JSON, where: str) -> float:
    value = number(score, "composite", where, high=1.0)
    return math.nan if value is None else value


def _checks(objective: _JSON, where: str) -> dict[str, bool]:
    details = objective.get("details")
    entries = cast(list[Any], details) if isinstance(details, list) else []
    named = [(_name(entry), entry) for entry in (mapping(entry, f"{where}, details") for entry in entries)]
    names = unique_names([name for name, _ in named])
    return {name: entry.get("passed") is True for name, (_, entry) in zip(names, named, strict=True)}


def _name(detail: _JSON) -> str:
    check = cast(_JSON, detail.get("check") if isinstance(detail.get("check"), dict) else {})
    subject = next((check[key] for key in ("cmd", "path") if isinstance(check.get(key), str)), "")
    return f"{check.get('kind') or 'check'} {subject}".strip()[:100]
