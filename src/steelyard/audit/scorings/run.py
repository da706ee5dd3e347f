"""One run of a scoring file, recomputed from its marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from steelyard.audit.score import run_score
from steelyard.audit.scorings.printed import PrintedRun


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


def scored_run(points: Sequence[float], printed: PrintedRun) -> ScoredRun:
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
    bases = [points, [printed.detection.value]] if printed.detection is not None else [points]
    right = [extras for extras in readings for base in bases if printed.total.follows(run_score(list(base), *extras))]
    return right[0] if right else None
