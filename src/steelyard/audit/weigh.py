"""From outputs and marks, or from logs, to a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.audit.key import key_hash
from steelyard.audit.marking.flags import suspicion
from steelyard.audit.model import Key, Marker, Marks, Output, Problem, Result, RunResult
from steelyard.audit.score import mean, spread, stability, weighed
from steelyard.errors import InputError
from steelyard.judge.judgement import RATINGS, concord
from steelyard.outcome import exact
from steelyard.stats.interval import sd_interval


@dataclass(frozen=True, slots=True)
class Spec:
    """What a result is about."""

    name: str
    """The audited agent."""
    round: int
    key: Key
    document: str = ""
    """Id or file name of the document."""


def weigh(spec: Spec, outputs: Sequence[Output], marks: Sequence[Marks], marker: Marker) -> Result:
    """The result of one agent on one document over its runs."""
    if not outputs:
        raise InputError("there is no run to score")
    runs = [weighed(spec.key.problems, output, each) for output, each in zip(outputs, marks, strict=True)]
    return result_of(spec, spec.key.problems, runs, marker, key_hash(spec.key), _warnings(spec, runs))


def result_of(
    spec: Spec,
    problems: Sequence[Problem],
    runs: Sequence[RunResult],
    marker: Marker,
    hashed: str,
    warnings: Sequence[str] = (),
) -> Result:
    """The numbers over runs that are already weighed."""
    scores = [run.score for run in runs]
    sd = spread(scores)
    return Result(
        name=spec.name,
        round=spec.round,
        problems=tuple(problems),
        runs=tuple(runs),
        mean=mean(scores),
        sd=sd,
        stability=stability(sd),
        marker=marker,
        key_hash=hashed,
        document=spec.document,
        # Equal scores show no spread at all: an interval of width zero would claim to know it.
        sd_interval=sd_interval(sd, len(scores)) if sd is not None and exact(sd) > 0 else None,
        judge_agreement=concord(run.record.get(RATINGS) or {} for run in runs),
        warnings=tuple(warnings),
    )


def _warnings(spec: Spec, runs: Sequence[RunResult]) -> list[str]:
    """What a reader should know before trusting the number."""
    found = list(spec.key.warnings)
    for run in runs:
        seen = dict.fromkeys((*run.flags, *_suspicions(spec.key, run)))
        found += [f"{run.output.name}: {flag}" for flag in seen]
    return found + run_warnings(runs, control=not spec.key.problems)


def run_warnings(runs: Sequence[RunResult], *, control: bool = False) -> list[str]:
    """What the runs themselves show: nothing reported, bonuses beyond the limit, the same text twice."""
    found: list[str] = []
    texts: dict[str, int] = {}
    for number, run in enumerate(runs, start=1):
        if not run.output.findings and not control:
            found.append(f"{run.output.name}: no finding in it")
        listed, counted = len(run.extra("bonus")), run.counted("bonus")
        if listed > counted:
            found.append(f"{run.output.name}: {listed} bonuses, {counted} counted")
        same = texts.setdefault(run.output.text, number)
        if same != number:
            found.append(f"run {same} and run {number} are the same text: the spread says nothing")
    return found


def _suspicions(key: Key, run: RunResult) -> list[str]:
    return [f"{each.id} {why}" for each in run.output.findings if (why := suspicion(each, key))]
