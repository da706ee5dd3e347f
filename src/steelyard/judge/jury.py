"""Several verdicts on one text: their mean, their spread, and how far they agree.

Law: the score is the mean of the verdicts' scores, per item likewise; `spread` is the sample standard deviation of the
scores (n − 1), None for a single verdict; `agreement` is Krippendorff's alpha (interval) with the rubric's items as
units and the verdicts as raters, None with fewer than two verdicts or two items.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.judge.parse import Verdict

if TYPE_CHECKING:
    from steelyard.judge.judgement import Judgement


@dataclass(frozen=True, slots=True)
class Graded:
    """The panel's answer. Every score is finite and in [0, 1]."""

    score: float
    scores: Mapping[str, float]
    spread: float | None
    agreement: float | None
    verdicts: int
    """How many the means rest on."""

    def as_dict(self) -> dict[str, Any]:
        """For a log's metadata."""
        return {
            "score": self.score,
            "scores": dict(self.scores),
            "spread": self.spread,
            "agreement": self.agreement,
            "verdicts": self.verdicts,
        }


def mean_verdict(judgement: Judgement[Verdict]) -> Graded:
    """The mean over judges and repeats."""
    verdicts = judgement.verdicts
    names = list(verdicts[0].scores)
    ratings = {name: [verdict.scores[name] for verdict in verdicts] for name in names}
    totals = [verdict.score for verdict in verdicts]
    return Graded(
        score=_mean(totals),
        scores={name: _mean(values) for name, values in ratings.items()},
        spread=statistics.stdev(totals) if len(totals) > 1 else None,
        agreement=alpha(list(ratings.values())) if len(names) > 1 else None,
        verdicts=len(verdicts),
    )


def alpha(units: Sequence[Sequence[float]]) -> float | None:
    """Krippendorff's alpha (interval) over units with one rating per rater, by Inspect's metric; None if undefined."""
    rated = [list(unit) for unit in units if len(unit) > 1]
    if not rated:
        return None
    from inspect_ai.scorer import SampleScore, Score, krippendorff_alpha

    metric: Any = krippendorff_alpha(level="interval")
    value = float(metric([SampleScore(score=Score(value=[*unit])) for unit in rated]))
    return value if math.isfinite(value) else None


def _mean(values: Sequence[float]) -> float:
    return min(max(statistics.fmean(values), min(values)), max(values))
