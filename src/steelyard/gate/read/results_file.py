"""Runs of any harness, from a plain results file: docs/scoring.md §3.4.

    {"label": "baseline", "scores": [{"task": "t1", "passed": 3, "total": 4, "judge": 0.8,
      "cost": {"tokens": 1200, "tool_calls": 5, "steps": 4, "wall_clock_ms": 8000, "cost_usd": 0.02},
      "composite": null}]}

`judge`, `cost` and `composite` may be null or absent; a given `composite` is used as it is; two scores with one task id
are epochs of it. passed > total, a negative count, a finite number outside its range or an unknown key is bad input,
and the error names the entry. `NaN` and `Infinity` are accepted, because the rules cover them: a hard regression, and
in telemetry a fault of the harness, which leaves the run unscored.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard.artifact import read_head, read_text, unique_keys
from steelyard.errors import InputError, boundary
from steelyard.gate.model import Arm, Cost, Gap, Run, Side
from steelyard.logs.identity import sha256_of

if TYPE_CHECKING:
    from steelyard.location import Location

_TOP = frozenset({"schema_version", "label", "scores"})
_ENTRY = frozenset({"task", "passed", "total", "judge", "cost", "composite"})
_COST = ("tokens", "tool_calls", "steps", "wall_clock_ms", "cost_usd")
_JSON = Mapping[str, Any]

NOT_FINITE = "its telemetry is not finite"
"""Why a run has no score that is not `measured`."""


def recognizes(path: Location) -> bool:
    """Whether `path` is a plain results file: a `.json` file that is not an Inspect log."""
    if path.suffix != ".json" or not path.is_file():
        return False
    # An Inspect JSON log opens with its version and status; a results file has neither.
    head = read_head(path, 400)
    return not (b'"version"' in head and b'"status"' in head)


def read(path: Location) -> Arm:
    """The arm in a results file."""
    text = read_text(path)
    with boundary(InputError, f"{path} is not valid JSON"):
        data = json.loads(text, object_pairs_hook=unique_keys)
    return parse_results(data, str(path))


def parse_results(data: Any, source: str) -> Arm:
    """The arm in the content of a results file."""
    top = _mapping(data, _TOP, source)
    scores, label = top.get("scores"), top.get("label", Path(source).stem)
    if not isinstance(label, str):
        raise InputError(f"{source}: label must be text")
    if not isinstance(scores, list):
        raise InputError(f"{source}: `scores` must be a list of entries")
    runs: list[Run] = []
    gaps: list[Gap] = []
    epochs: dict[str, int] = {}
    for number, entry in enumerate(cast(list[Any], scores), 1):
        run = _run(entry, f"{source}, score {number}")
        epochs[run.task] = epochs.get(run.task, 0) + 1
        run = dataclasses.replace(run, round=epochs[run.task])
        if measured(run):
            runs.append(run)
        else:
            gaps.append(Gap(run.task, epochs[run.task], "harness", NOT_FINITE, source))
    side = Side(label, "results", (source,), len(runs) + len(gaps), max(epochs.values(), default=0))
    return Arm(side, tuple(runs), tuple(gaps), origins={sha256_of(scores): source})


def _run(entry: Any, where: str) -> Run:
    fields = _mapping(entry, _ENTRY, where)
    task = fields.get("task")
    if not isinstance(task, str) or not task:
        raise InputError(f"{where}: `task` must be a name")
    where = f"{where} ({task!r})"
    passed, total = (number(fields, key, where, high=None, needed=True) for key in ("passed", "total"))
    assert passed is not None and total is not None
    if passed > total:
        raise InputError(f"{where}: passed {passed:g} > total {total:g}")
    return Run(
        task=task,
        passed=passed,
        total=total,
        judge=number(fields, "judge", where, high=1.0),
        cost=_cost(fields.get("cost"), where),
        composite=number(fields, "composite", where, high=1.0),
    )


def measured(run: Run) -> bool:
    """Whether its telemetry is whole; else the harness broke it (docs/scoring.md §3.1)."""
    return all(map(math.isfinite, run.cost.values()))


def _cost(value: Any, where: str) -> Cost:
    if value is None:
        return Cost()
    fields = _mapping(value, frozenset(_COST), f"{where}, cost")
    return Cost(**{key: number(fields, key, f"{where}, cost", high=None) for key in _COST})


def _mapping(value: Any, known: frozenset[str], where: str) -> _JSON:
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected an object")
    fields = cast(dict[str, Any], value)
    unknown = sorted(fields.keys() - known)
    if unknown:
        raise InputError(f"{where}: unknown key {unknown[0]!r}", cure=f"known are {', '.join(sorted(known))}")
    return fields


def number(fields: _JSON, key: str, where: str, *, high: float | None, needed: bool = False) -> float | None:
    """A number ≥ 0 (and ≤ `high`); NaN and infinity pass, because `compare` handles them."""
    value = fields.get(key)
    if value is None and not needed:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{where}: `{key}` must be a number")
    with boundary(InputError, f"{where}: `{key}` is out of range"):
        number = float(value)
    if math.isfinite(number) and (number < 0 or (high is not None and number > high)):
        raise InputError(f"{where}: `{key}` is {number:g}, outside {'[0, 1]' if high else '[0, ∞)'}")
    return number
