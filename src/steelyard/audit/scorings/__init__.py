"""Existing scoring files: their marks recomputed, and where the printed numbers do not follow (docs/scoring.md §2).

    detection = Σ (○ 1.0, △ 0.5, × 0.0)     run = detection + 0.5 · min(bonus, 5) − 0.5 · penalty
    mean      = Σ run / n                    sd  = sample SD (n − 1)

Bonus and penalty come from what the file prints: counts (`3B, 1P`), points (`Bonus: +1.5`), or a sum
(`6.5 + 2.5 - 0.5 = 8.5`). Where it prints neither, a total is not judged. Every other printed number is checked
against what it follows from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from steelyard.audit.model import BONUS_LIMIT, POINTS, Mark
from steelyard.audit.score import mean, run_score, spread, stability
from steelyard.audit.scorings.marks import mark_rows, revisions
from steelyard.audit.scorings.outline import entries
from steelyard.audit.scorings.printed import Printed, PrintedRun, printed_numbers
from steelyard.errors import InputError

_ROUNDING = 0.0051
"""Half a unit of the second decimal: what printing may lose."""


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One run of a scoring file."""

    detection: float
    bonus: int | None
    """None if the file does not say how many."""
    penalty: int | None
    score: float | None
    """Recomputed; None without bonus and penalty."""
    printed: float | None
    printed_detection: float | None = None


@dataclass(frozen=True, slots=True)
class Scoring:
    """A scoring file, recomputed."""

    source: str
    marks: dict[str, tuple[Mark, ...]]
    """Problem → its mark in each run."""
    runs: tuple[ScoredRun, ...]
    mean: float | None
    """Of the recomputed scores, and of the printed one where a run cannot be recomputed; None if a run has neither."""
    sd: float | None
    stability: str
    printed: Printed
    faults: tuple[str, ...]
    """What is printed and does not follow."""
    revised: tuple[str, ...] = ()
    """Marks that the file states twice and otherwise, in words; the last one counts."""

    def count(self, mark: Mark) -> int:
        """Cells with this mark over all runs."""
        return sum(each == mark for marks in self.marks.values() for each in marks)


def read_scoring(text: str, source: str) -> Scoring:
    """The scoring in a text; raises `InputError` if it has no marks."""
    lines = list(entries(text))
    rows = mark_rows(lines)
    if not rows:
        cure = "a row per problem, ○ △ × in columns Run1, Run2, …; points per criterion are another kind of scoring"
        raise InputError(f"{source}: no marks ○ △ × of problems found", cure=cure)
    numbers = sorted({number for row in rows.values() for number in row})
    count = len(numbers)
    # By their numbers: of two problems with two marks, one may lack run 2 and the other run 3.
    ragged = [problem for problem, row in rows.items() if len(row) != count]
    if ragged:
        raise InputError(f"{source}: {', '.join(ragged)} lack a mark in one of {count} runs")
    marks = {problem: tuple(row[number] for number in numbers) for problem, row in rows.items()}
    printed = printed_numbers(lines, count)
    points = [[POINTS[row[number]] for row in marks.values()] for number in range(count)]
    runs = tuple(_scored_run(points[number], printed.run(number + 1)) for number in range(count))
    scores = [run.score if run.score is not None else run.printed for run in runs]
    known = [score for score in scores if score is not None]
    average, sd = (mean(known), spread(known)) if len(known) == count else (None, None)
    return Scoring(
        source, marks, runs, average, sd, stability(sd), printed, _faults(runs, printed), tuple(revisions(lines))
    )


def _scored_run(points: Sequence[float], printed: PrintedRun) -> ScoredRun:
    """A run from the points of its marks and what the file prints about it."""
    detection = math.fsum(points)
    total = printed.total.value if printed.total is not None else None
    shown = printed.detection.value if printed.detection is not None else None
    extras = _extras(points, printed)
    if extras is None:
        return ScoredRun(detection, None, None, None, total, shown)
    return ScoredRun(detection, *extras, run_score(points, *extras), total, shown)


def _extras(points: Sequence[float], printed: PrintedRun) -> tuple[int, int] | None:
    """Bonus and penalty; a number that may be points or a count is read as what makes the printed total right."""
    if printed.bonus is None or printed.penalty is None:
        return None
    readings = list(product(printed.bonus.counts(), printed.penalty.counts()))
    if len(readings) <= 1 or printed.total is None:
        return readings[0] if len(readings) == 1 else None
    # The total may follow from a detection that was itself added up wrongly.
    bases = [points, [printed.detection.value]] if printed.detection is not None else [points]
    right = [extras for extras in readings for base in bases if printed.total.follows(run_score(list(base), *extras))]
    return right[0] if right else None


def _faults(runs: Sequence[ScoredRun], printed: Printed) -> tuple[str, ...]:
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
