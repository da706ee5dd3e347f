"""Whether the runs of an agent found the same problems (docs/scoring.md §2.2).

    share = problems with the same mark in every run / problems
    κ     = mean over all pairs of runs of Cohen's κ of their marks

The spread of the totals cannot show this: two runs that find one half of the problems each have the same total. A pair
of runs that give one mark to everything, and the same one, has no κ; if no pair has one, κ is None.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

from steelyard.audit.model import MARKS, Agreement, RunResult, Stability
from steelyard.outcome import exact
from steelyard.stats.agreement import kappa

DISAGREE = 0.7
"""Below this share of problems marked alike, a small spread of totals hides that the runs differ."""


def agreement(runs: Sequence[RunResult]) -> Agreement | None:
    """Agreement between the runs on one document; None for one run, or if nothing is planted."""
    return pooled_agreement([runs])


def pooled_agreement(documents: Iterable[Sequence[RunResult]]) -> Agreement | None:
    """Agreement over the problems of several documents; those with one run or without a problem do not count."""
    marks = [_marks(runs) for runs in documents if len(runs) > 1 and runs[0].cells]
    if not marks:
        return None
    problems = [problem for document in marks for problem in zip(*document, strict=True)]
    alike = sum(len(set(problem)) == 1 for problem in problems)
    return Agreement(alike / len(problems), _mean_kappa(marks), len(problems))


def contrast(stability: Stability, found: Agreement | None) -> tuple[str, ...]:
    """One line if the totals look steady although the runs found different problems."""
    if stability != "high" or found is None or exact(found.share) >= DISAGREE:
        return ()
    return (f"stable totals, different findings: only {found.share:.0%} of the problems were marked alike in all runs",)


def _marks(runs: Sequence[RunResult]) -> list[list[int]]:
    """The mark of each problem as a number, run by run, in the order of the first run's problems."""
    order = [cell.problem for cell in runs[0].cells]
    by_problem = [{cell.problem: MARKS.index(cell.mark) for cell in run.cells} for run in runs]
    return [[marks[problem] for problem in order] for marks in by_problem]


def _mean_kappa(documents: Sequence[Sequence[Sequence[int]]]) -> float | None:
    pairs = [pair for document in documents for pair in combinations(document, 2)]
    known = [found.value for one, other in pairs if (found := kappa(one, other, categories=len(MARKS))) is not None]
    return math.fsum(known) / len(known) if known else None
