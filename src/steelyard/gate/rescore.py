"""Grading the runs of finished logs again: the judge only, without starting the agent."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import InputError
from steelyard.gate.scorer import gate_judge
from steelyard.judge.panel import Panel
from steelyard.judge.rescore import Rescored, rescore
from steelyard.logs.read import find_logs, read_log


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
    return [rescore(path, scorer, everything=everything, judge=panel.identity) for path in paths]
