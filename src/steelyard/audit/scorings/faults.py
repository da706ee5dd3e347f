"""What a scoring file prints that does not follow from its marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from steelyard.audit.model import BONUS_LIMIT
from steelyard.audit.score import mean, spread, stability
from steelyard.audit.scorings.printed import Printed, PrintedRun
from steelyard.audit.scorings.run import ScoredRun

_ROUNDING = 0.0051
"""Half a unit of the second decimal: what printing may lose."""


def faults(runs: Sequence[ScoredRun], printed: Printed) -> tuple[str, ...]:
    """Every printed number that does not follow, as a sentence."""
    per_run = [fault for number, run in enumerate(runs, 1) for fault in _of_run(number, run, printed.run(number))]
    return (*per_run, *_pooled(printed, _values(runs)))


def _of_run(number: int, run: ScoredRun, printed: PrintedRun) -> Iterator[str]:
    total, detection = printed.total, printed.detection
    if total is not None and run.score is not None and not total.follows(run.score):
        yield f"run {number} is printed as {total.value:.2f}, but adds up to {run.score:.2f} ({_parts(run)})"
    elif detection is not None and not detection.follows(run.detection):
        said = f"the detection of run {number} is printed as {detection.value:.2f}"
        yield f"{said}, but the marks add up to {run.detection:.2f}"
    others = {shown.value for shown in printed.totals}
    if len(others) > 1:
        said = " and ".join(f"{value:.2f}" for value in sorted(others))
        yield f"run {number} is printed as {said} in different places"


def _parts(run: ScoredRun) -> str:
    marks = f"{run.detection:.2f} from marks"
    if run.printed_detection is not None and abs(run.printed_detection - run.detection) > _ROUNDING:
        marks += f" where {run.printed_detection:.2f} is printed"
    over = f", of which {BONUS_LIMIT} count" if (run.bonus or 0) > BONUS_LIMIT else ""
    return f"{marks}, {run.bonus} bonus{over}, {run.penalty} penalty"


def _values(runs: Sequence[ScoredRun]) -> list[float]:
    """The printed totals, so that a wrong run is not blamed twice, else the recomputed ones; none if one is unknown."""
    printed = [run.printed for run in runs if run.printed is not None]
    scores = [run.score for run in runs if run.score is not None]
    return printed if len(printed) == len(runs) else scores if len(scores) == len(runs) else []


def _pooled(printed: Printed, values: Sequence[float]) -> Iterator[str]:
    if not values:
        return
    if printed.mean is not None and not printed.mean.follows(mean(values)):
        yield f"the mean is printed as {printed.mean.value:.2f}, but the runs give {mean(values):.2f}"
    sample = spread(values)
    if sample is None:
        return
    if printed.sd is not None and not printed.sd.follows(sample):
        population = sample * math.sqrt((len(values) - 1) / len(values))
        why = " (it is the population SD)" if printed.sd.follows(population) else ""
        yield f"the sd is printed as {printed.sd.value:.2f}{why}, but the sample SD is {sample:.2f}"
    if printed.stability and printed.stability != stability(sample):
        yield f"stability is printed as {printed.stability}, but an sd of {sample:.2f} is {stability(sample)}"
