"""Existing scoring files: their marks recomputed, and where the printed numbers do not follow (docs/scoring.md §2).

    detection = Σ (○ 1.0, △ 0.5, × 0.0)     run = detection + 0.5 · min(bonus, 5) − 0.5 · penalty
    mean      = Σ run / n                    sd  = sample SD (n − 1)

Bonus and penalty come from what the file prints: counts (`3B, 1P`), points (`Bonus: +1.5`), or a sum
(`6.5 + 2.5 - 0.5 = 8.5`). Where it prints neither, a total is not judged. Every other printed number is checked
against what it follows from.
"""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.audit.model import POINTS, Mark
from steelyard.audit.score import mean, spread, stability
from steelyard.audit.scorings.faults import faults
from steelyard.audit.scorings.marks import mark_rows, revisions
from steelyard.audit.scorings.outline import entries
from steelyard.audit.scorings.printed import Printed, printed_numbers
from steelyard.audit.scorings.run import ScoredRun, scored_run
from steelyard.errors import InputError

__all__ = ["ScoredRun", "Scoring", "read_scoring"]


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
    marks = mark_rows(lines)
    if not marks:
        cure = "a row per problem, ○ △ × in columns Run1, Run2, …; points per criterion are another kind of scoring"
        raise InputError(f"{source}: no marks ○ △ × of problems found", cure=cure)
    count = max(len(row) for row in marks.values())
    ragged = [problem for problem, row in marks.items() if len(row) != count]
    if ragged:
        raise InputError(f"{source}: {', '.join(ragged)} lack a mark in one of {count} runs")
    printed = printed_numbers(lines, count)
    points = [[POINTS[row[number]] for row in marks.values()] for number in range(count)]
    runs = tuple(scored_run(points[number], printed.run(number + 1)) for number in range(count))
    scores = [run.score if run.score is not None else run.printed for run in runs]
    known = [score for score in scores if score is not None]
    average, sd = (mean(known), spread(known)) if len(known) == count else (None, None)
    return Scoring(
        source, marks, runs, average, sd, stability(sd), printed, faults(runs, printed), tuple(revisions(lines))
    )
