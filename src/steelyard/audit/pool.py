"""A suite's result: the documents side by side, and pooled.

points  = Σ of the documents' means (a control adds −0.5 per false alarm)
sd      = √(Σ sᵢ² / T) over the T documents with several runs, df = Σ (rᵢ − 1)
rates   from the summed tallies of all documents and runs
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.audit.model import Rates, Result, Stability
from steelyard.audit.score import Tally, stability
from steelyard.outcome import exact
from steelyard.stats.interval import pooled_sd_interval


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """One agent on all documents of a suite."""

    suite: str
    name: str
    """The agent, or the set of recorded runs."""
    round: int
    results: tuple[Result, ...]
    points: float
    sd: float | None
    sd_interval: tuple[float, float] | None
    stability: Stability
    rates: Rates
    false_alarms: int
    """Claims on clean documents, over all runs."""

    @property
    def keyed(self) -> tuple[Result, ...]:
        """The documents with planted problems."""
        return tuple(each for each in self.results if not each.control)


def pooled(suite: str, name: str, round: int, results: Sequence[Result]) -> SuiteResult:
    """The suite's result from its documents'."""
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
    )


def pooled_sd(results: Sequence[Result]) -> tuple[float | None, int]:
    """The spread of a document's runs, pooled, and its degrees of freedom; None when every document has one run."""
    several = [result for result in results if result.sd is not None]
    if not several:
        return None, 0
    square = math.fsum((result.sd or 0.0) ** 2 for result in several) / len(several)
    return math.sqrt(square), sum(len(result.runs) - 1 for result in several)
