"""Several verdicts on one text: their mean and spread; and over the texts of a run: how far the verdicts agree.

Law: the score is the mean of the verdicts' scores, per item likewise; `spread` is the sample standard deviation of the
scores (n − 1), None for a single verdict. Over a run the units are text × item and the raters the verdicts (judges and
repeats): `spread` is the mean over the units of the sample standard deviation, `agreement` is Krippendorff's alpha
(interval), None where it is undefined. One text has too few units to say anything about agreement.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
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
    verdicts: int
    """How many the means rest on."""

    def as_dict(self) -> dict[str, Any]:
        """For a log's metadata."""
        return {
            "score": self.score,
            "scores": dict(self.scores),
            "spread": self.spread,
            "verdicts": self.verdicts,
        }


RATINGS = "judge_ratings"
"""Where a score's metadata keeps, per item, the rating of every verdict, when there are several."""


def ratings_of(verdicts: Sequence[Verdict]) -> dict[str, list[float]]:
    """Per item the rating of every verdict; empty for a single verdict, whose ratings are the score itself."""
    if len(verdicts) < 2:
        return {}
    return {name: [round(verdict.scores[name], 6) for verdict in verdicts] for name in verdicts[0].scores}


def concord(texts: Iterable[Mapping[str, Sequence[float]]]) -> dict[str, Any] | None:
    """How far several verdicts agree over the texts of a run, each given as its `ratings_of`; None where there are no
    texts with several verdicts."""
    rated = [text for text in texts if any(len(unit) > 1 for unit in text.values())]
    units = [unit for text in rated for unit in text.values() if len(unit) > 1]
    if not units:
        return None
    spread = statistics.fmean(statistics.stdev(unit) for unit in units)
    verdicts = max(len(unit) for unit in units)
    return {"verdicts": verdicts, "texts": len(rated), "spread": round(spread, 6), "agreement": alpha(units)}


def told(found: Mapping[str, Any]) -> str:
    """A `concord` in words."""
    agreement = "not defined" if found["agreement"] is None else f"{found['agreement']:.2f}"
    return f"{found['verdicts']} verdicts per text, mean spread {found['spread']:.3f}, agreement α {agreement}"


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
