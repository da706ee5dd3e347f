"""Existing scoring files: their marks recomputed, and where the printed numbers do not follow (docs/scoring.md §2).

    detection = Σ (○ 1.0, △ 0.5, × 0.0)     run = detection + 0.5 · min(bonus, 5) − 0.5 · penalty
    mean      = Σ run / n                    sd  = sample SD (n − 1)

Marks come from tables with a column per run, or a table per run. Bonus and penalty come from the summary (`3B, 1P`) or
from the sum that the file prints (`6.5 + 2.5 - 0.5 = 8.5`); where it prints neither, a total is not judged. Every other
printed number is checked against what it follows from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.audit.model import POINTS, Mark
from steelyard.audit.score import BONUS_POINTS, PENALTY_POINTS, mean, run_score, spread, stability
from steelyard.audit.scorings.printed import Printed, printed_numbers
from steelyard.audit.scorings.tables import Extras, extra_counts, mark_rows
from steelyard.errors import InputError
from steelyard.outcome import exact

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


@dataclass(frozen=True, slots=True)
class Scoring:
    """A scoring file, recomputed."""

    source: str
    marks: dict[str, tuple[Mark, ...]]
    """Problem → its mark in each run."""
    runs: tuple[ScoredRun, ...]
    mean: float
    """Of the recomputed scores; of the printed ones where a run cannot be recomputed."""
    sd: float | None
    stability: str
    printed: Printed
    faults: tuple[str, ...]
    """What is printed and does not follow."""

    def count(self, mark: Mark) -> int:
        """Cells with this mark over all runs."""
        return sum(each == mark for marks in self.marks.values() for each in marks)


def read_scoring(text: str, source: str) -> Scoring:
    """The scoring in a text; raises `InputError` if there is no table of marks in it."""
    marks = mark_rows(text)
    if not marks:
        raise InputError(f"{source}: no table of marks found", cure="a row per problem, ○ △ × in columns Run1, Run2, …")
    count = max(len(row) for row in marks.values())
    ragged = [problem for problem, row in marks.items() if len(row) != count]
    if ragged:
        raise InputError(f"{source}: {', '.join(ragged)} lack a mark in one of {count} runs")
    printed = printed_numbers(text, count)
    extras = extra_counts(text)
    runs = tuple(_run(marks, number, extras.get(number + 1), printed) for number in range(count))
    scores = [run.score if run.score is not None else run.printed for run in runs]
    known = [score for score in scores if score is not None] or [run.detection for run in runs]
    sd = spread(known) if len(known) == count else None
    faults = (*_run_faults(runs), *_pool_faults(printed, runs, known, count))
    return Scoring(source, marks, runs, mean(known), sd, stability(sd), printed, faults)


def _run(marks: dict[str, tuple[Mark, ...]], number: int, extras: Extras | None, printed: Printed) -> ScoredRun:
    points = [POINTS[row[number]] for row in marks.values()]
    parts = printed.parts.get(number + 1)
    if extras is None and parts is not None:
        extras = Extras(round(parts.bonus / BONUS_POINTS), round(abs(parts.penalty) / PENALTY_POINTS))
    total = printed.runs.get(number + 1)
    if extras is None:
        return ScoredRun(math.fsum(points), None, None, None, total)
    return ScoredRun(math.fsum(points), *extras, run_score(points, *extras), total)


def _differs(printed: float, computed: float) -> bool:
    return exact(abs(printed - computed)) > _ROUNDING


def _run_faults(runs: tuple[ScoredRun, ...]) -> list[str]:
    faults: list[str] = []
    for number, run in enumerate(runs, start=1):
        if run.printed is not None and run.score is not None and _differs(run.printed, run.score):
            parts = f"{run.detection:.2f} from marks, {run.bonus} bonus, {run.penalty} penalty"
            faults.append(f"run {number} is printed as {run.printed:.2f}, but adds up to {run.score:.2f} ({parts})")
    return faults


def _pool_faults(printed: Printed, runs: tuple[ScoredRun, ...], scores: list[float], count: int) -> list[str]:
    """Mean and sd against the printed runs where there are any: a wrong run must not be blamed twice."""
    shown = [run.printed for run in runs if run.printed is not None]
    values = shown if len(shown) == count else scores if len(scores) == count else []
    faults: list[str] = []
    if values and printed.mean is not None and _differs(printed.mean, mean(values)):
        faults.append(f"the mean is printed as {printed.mean:.2f}, but the runs give {mean(values):.2f}")
    sample = spread(values) if values else None
    if sample is not None and printed.sd is not None and _differs(printed.sd, sample):
        population = sample * math.sqrt((len(values) - 1) / len(values))
        why = " (it is the population SD)" if not _differs(printed.sd, population) else ""
        faults.append(f"the sd is printed as {printed.sd:.2f}{why}, but the sample SD is {sample:.2f}")
    if sample is not None and printed.stability and printed.stability != stability(sample):
        said = f"stability is printed as {printed.stability}, but an sd of {sample:.2f} is {stability(sample)}"
        faults.append(said)
    return faults
