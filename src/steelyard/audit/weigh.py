"""From marked runs to a result, and from the results of a suite to the pooled one. Pure.

For a suite:

    points = Σ of the documents' means (a control adds −0.5 per false alarm)
    sd     = √(Σ sᵢ² / T) over the T documents with several runs, df = Σ (rᵢ − 1)
    rates  from the summed tallies of all documents and runs
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.audit.agreement import agreement, contrast, pooled_agreement
from steelyard.audit.key import key_hash
from steelyard.audit.model import Estimate, Key, Marker, Marks, Output, Result, RunResult, Source, SuiteResult
from steelyard.audit.score import Tally, mean, spread, stability, weighed
from steelyard.errors import InputError
from steelyard.judge.judgement import concord, unusable, unusable_text
from steelyard.outcome import exact
from steelyard.stats.interval import pooled_sd_interval, sd_interval


@dataclass(frozen=True, slots=True)
class Spec:
    """The subject of a result."""

    name: str
    """The audited agent."""
    round: int
    key: Key
    document: str = ""
    """Id or file name of the document."""
    key_hash: str = ""
    """Of the complete key, where `key` lacks the criteria (a log does not store them); empty otherwise."""
    source: Source | None = None
    """The document itself, if it was read."""


def weigh(spec: Spec, outputs: Sequence[Output], marks: Sequence[Marks], marker: Marker) -> Result:
    """The result of one agent on one document over its runs."""
    if not outputs:
        raise InputError("there is no run to score")
    pairs = zip(outputs, marks, strict=True)
    runs = [weighed(spec.key.problems, output, run_marks) for output, run_marks in pairs]
    return weigh_scored(spec, runs, marker)


def weigh_scored(spec: Spec, runs: Sequence[RunResult], marker: Marker) -> Result:
    """The result over runs that are scored already."""
    scores = [run.score for run in runs]
    sd = spread(scores)
    alike = agreement(runs)
    steady = stability(sd)
    return Result(
        name=spec.name,
        round=spec.round,
        problems=spec.key.problems,
        runs=tuple(runs),
        mean=mean(scores),
        sd=sd,
        stability=steady,
        marker=marker,
        key_hash=spec.key_hash or key_hash(spec.key),
        document=spec.document,
        # Equal scores show no spread: an interval of width zero would claim to know it.
        sd_interval=sd_interval(sd, len(scores)) if sd is not None and exact(sd) > 0 else None,
        judge_agreement=concord(run.record for run in runs),
        warnings=(
            *spec.key.warnings,
            *(f"{run.output.name}: {flag}" for run in runs for flag in run.flags),
            *_unusable(runs),
            *_run_warnings(runs, control=not spec.key.problems),
            *contrast(steady, alike),
        ),
        source=spec.source,
        estimate=_mean_estimate([run.estimate for run in runs]),
        agreement=alike,
    )


def _unusable(runs: Sequence[RunResult]) -> list[str]:
    lost = unusable(run.record for run in runs)
    return [] if lost is None else [unusable_text(lost)]


def _mean_estimate(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """Of the mean over runs. The marker errs alike on runs of one document, so its errors do not cancel out."""
    known = [estimate for estimate in estimates if estimate is not None]
    if not known or len(known) < len(estimates):
        return None
    expected, low, high = (mean([getattr(one, name) for one in known]) for name in ("expected", "low", "high"))
    return Estimate(expected, low, high, known[0].level)


def total_estimate(results: Sequence[Result]) -> Estimate | None:
    """Of the sum over documents; None if no document is estimated.

    The marker errs on all documents of a group alike by one part (it adds up), on each by itself by the rest.
    """
    known = [(result.estimate, len(result.problems)) for result in results if result.estimate is not None]
    if not known:
        return None
    certain = math.fsum(result.mean for result in results if result.estimate is None)
    expected = math.fsum(one.expected for one, _ in known) + certain
    below = _half([(one.expected - one.low, problems) for one, problems in known])
    above = _half([(one.high - one.expected, problems) for one, problems in known])
    return Estimate(expected, expected - below, expected + above, known[0][0].level)


def _half(parts: Sequence[tuple[float, int]]) -> float:
    """The half width of a sum, from each document's half width and number of problems."""
    from steelyard.audit.marking.estimate import shared_half  # numpy is slow to import, so only for estimates

    # An interval that ends at what can be earned at most may be narrower than the shared part.
    shared = [min(half, shared_half(problems)) for half, problems in parts]
    own = math.fsum(half**2 - common**2 for (half, _), common in zip(parts, shared, strict=True))
    return math.hypot(math.sqrt(own), math.fsum(shared))


def _run_warnings(runs: Sequence[RunResult], *, control: bool) -> list[str]:
    """What the runs themselves show: no findings, bonuses beyond the limit, the same text twice."""
    warnings: list[str] = []
    first_with: dict[str, int] = {}
    for number, run in enumerate(runs, start=1):
        if not run.output.findings and not control:
            warnings.append(f"{run.output.name}: no findings")
        listed, counted = len(run.extra("bonus")), run.counted("bonus")
        if listed > counted:
            warnings.append(f"{run.output.name}: {listed} bonuses, {counted} counted")
        same = first_with.setdefault(run.output.text, number)
        if same != number:
            warnings.append(f"run {same} and run {number} are the same text: the spread says nothing")
    return warnings


def pooled(suite: str, name: str, round: int, results: Sequence[Result]) -> SuiteResult:
    """The result of a suite from those of its documents."""
    tally = Tally()
    for result in results:
        for run in result.runs:
            tally = tally.plus(result.problems, run)
    sd, df = pooled_sd(results)
    alarms = sum(run.counted("penalty") for result in results if result.control for run in result.runs)
    return SuiteResult(
        suite=suite,
        name=name,
        round=round,
        results=tuple(results),
        points=math.fsum(result.mean for result in results),
        sd=sd,
        sd_interval=pooled_sd_interval(sd, df) if sd is not None and exact(sd) > 0 else None,
        stability=stability(sd),
        rates=tally.rates(),
        false_alarms=alarms,
        estimate=total_estimate(results),
        agreement=pooled_agreement(result.runs for result in results),
    )


def pooled_sd(results: Sequence[Result]) -> tuple[float | None, int]:
    """The pooled spread of a document's runs and its degrees of freedom; None when every document has one run."""
    several = [result for result in results if result.sd is not None]
    if not several:
        return None, 0
    square = math.fsum((result.sd or 0.0) ** 2 for result in several) / len(several)
    return math.sqrt(square), sum(len(result.runs) - 1 for result in several)
