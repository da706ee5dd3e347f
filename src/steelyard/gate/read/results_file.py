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
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard.artifact import read_head, read_text, unique_keys
from steelyard.errors import InputError, boundary
from steelyard.gate.model import COST_FIELDS, Arm, Cost, Gap, Run, Side
from steelyard.logs.identity import sha256_of

if TYPE_CHECKING:
    from steelyard.location import Location

_TOP = frozenset({"schema_version", "label", "scores"})
_ENTRY = frozenset({"task", "passed", "total", "judge", "cost", "composite"})
_JSON = Mapping[str, Any]


def recognizes(path: Location) -> bool:
    """Whether `path` is a plain results file: a `.json` file that is not an Inspect log."""
    if path.suffix != ".json" or not path.is_file():
        return False
    # An Inspect JSON log opens with its version and status; a results file has neither.
    head = read_head(path, 400)
    return not (b'"version"' in head and b'"status"' in head)


def read(path: Location) -> Arm:
    """The arm in a results file."""
    return parse_results(json_in(read_text(path), str(path)), str(path))


def json_in(text: str, source: str) -> Any:
    """JSON with `NaN` and `Infinity`, in which no key stands twice."""
    with boundary(InputError, f"{source} is not valid JSON"):
        return json.loads(text, object_pairs_hook=unique_keys)


def parse_results(data: Any, source: str) -> Arm:
    """The arm in the content of a results file."""
    top = mapping(data, source, _TOP)
    scores, label = entries(top, source), top.get("label", Path(source).stem)
    if not isinstance(label, str):
        raise InputError(f"{source}: label must be text")
    found = [measured(_run(entry, f"{source}, score {number}"), source) for number, entry in enumerate(scores, 1)]
    return results_arm(label, found, (source,), {sha256_of(scores): source})


def results_arm(label: str, found: Sequence[Run | Gap], sources: Sequence[str], origins: Mapping[str, str]) -> Arm:
    """The arm in results of whatever harness; those of one task are epochs of it, in their order."""
    runs: list[Run] = []
    gaps: list[Gap] = []
    epochs: Counter[str] = Counter()
    for each in found:
        epochs[each.task] += 1
        if isinstance(each, Run):
            runs.append(dataclasses.replace(each, round=epochs[each.task]))
        else:
            gaps.append(dataclasses.replace(each, epoch=epochs[each.task]))
    side = Side(label, "results", tuple(sources), len(found), max(epochs.values(), default=0))
    return Arm(side, tuple(runs), tuple(gaps), origins=origins)


def measured(run: Run, source: str) -> Run | Gap:
    """The run; a gap if its telemetry is not finite, because the harness broke it then (docs/scoring.md §3.1)."""
    sound = all(map(math.isfinite, run.cost.values()))
    return run if sound else Gap(run.task, run.round, "harness", "its telemetry is not finite", source)


def entries(top: _JSON, source: str) -> list[Any]:
    """The scores of a side."""
    scores = top.get("scores")
    if not isinstance(scores, list):
        raise InputError(f"{source}: `scores` must be a list of entries")
    return cast(list[Any], scores)


def _run(entry: Any, where: str) -> Run:
    fields = mapping(entry, where, _ENTRY)
    task = task_name(fields, "task", where)
    where = f"{where} ({task!r})"
    passed, total = counts(fields, where)
    return Run(
        task=task,
        passed=passed,
        total=total,
        judge=number(fields, "judge", where, high=1.0),
        cost=_cost(fields.get("cost"), where),
        composite=number(fields, "composite", where, high=1.0),
    )


def task_name(fields: _JSON, key: str, where: str) -> str:
    """The task that a score is of."""
    task = fields.get(key)
    if not isinstance(task, str) or not task:
        raise InputError(f"{where}: `{key}` must be a name")
    return task


def counts(fields: _JSON, where: str) -> tuple[float, float]:
    """How many checks passed, of how many."""
    passed, total = (number(fields, key, where, high=None, needed=True) or 0.0 for key in ("passed", "total"))
    if passed > total:
        raise InputError(f"{where}: passed {passed:g} > total {total:g}")
    return passed, total


def _cost(value: Any, where: str) -> Cost:
    if value is None:
        return Cost()
    fields = mapping(value, f"{where}, cost", frozenset(COST_FIELDS))
    return Cost(**{key: number(fields, key, f"{where}, cost", high=None) for key in COST_FIELDS})


def mapping(value: Any, where: str, known: frozenset[str] | None = None) -> _JSON:
    """An object; with no other keys than those that are known, if these are all."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected an object")
    fields = cast(dict[str, Any], value)
    unknown = sorted(fields.keys() - known) if known is not None else []
    if known is not None and unknown:
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
