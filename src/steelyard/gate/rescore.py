"""Grades the runs of finished logs again: only the judge runs, not the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import LogError
from steelyard.gate.metadata import STORE
from steelyard.gate.scorer import gate_judge
from steelyard.judge.panel import Panel
from steelyard.judge.rescore import NothingToJudge, Rescored, rescore
from steelyard.logs.read import read_log

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample


def rescore_log(path: str, panel: Panel, *, everything: bool) -> Rescored:
    """Grade what has no verdict yet (or all) in one log of the gate."""
    stamp = read_log(path).stamp
    if stamp is None:
        raise LogError(f"{path} is not a log of the gate, or has no stamp")
    if stamp.wing != "gate":
        raise NothingToJudge(f"{path} is a log of {stamp.wing}, not of the gate")
    if stamp.fingerprint.rubric is None:
        raise NothingToJudge(f"{path}: no task has a rubric, so there is nothing for a judge to grade")
    scorer = gate_judge(list(panel.judges), panel.repeats, panel.cache)
    return rescore(path, scorer, everything=everything, judge=panel.identity, gradable=has_rubric)


def has_rubric(sample: EvalSample) -> bool:
    """Whether a judge has something to grade in a run: its task has a rubric."""
    kept = sample.store.get(STORE)
    return isinstance(kept, dict) and cast(dict[str, Any], kept).get("rubric") is not None
