"""Grading the runs of finished logs again: the judge only, without starting the agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import InputError
from steelyard.gate.record import STORE
from steelyard.gate.scorer import gate_judge
from steelyard.judge.panel import Panel
from steelyard.judge.rescore import Rescored, rescore
from steelyard.logs.read import find_logs, read_log

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample


def rescore_logs(sources: Sequence[str], panel: Panel, *, everything: bool) -> list[Rescored]:
    """Grade what has no verdict yet (or all) in every gate log behind `sources`."""
    paths = find_logs(sources)
    for path in paths:
        stamp = read_log(path).stamp
        if stamp is None or stamp.wing != "gate":
            raise InputError(f"{path} is not a log of the gate")
        if stamp.fingerprint.rubric is None:
            raise InputError(f"{path}: no task has a rubric, so there is nothing for a judge to grade")
    if not paths:
        raise InputError("no logs to grade")
    scorer = gate_judge(list(panel.judges), panel.repeats, panel.cache)
    return [rescore(path, scorer, everything=everything, judge=panel.identity, wanted=has_rubric) for path in paths]


def has_rubric(sample: EvalSample) -> bool:
    """Whether there is something for a judge in a run: its task has a rubric."""
    kept = sample.store.get(STORE)
    return isinstance(kept, dict) and cast(dict[str, Any], kept).get("rubric") is not None
