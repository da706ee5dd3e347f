"""The result of asking a panel: every verdict with its cost, or the reason why there is none. Pure.

Law, per text: the score is the mean of the verdicts' scores, and the score of each item likewise; `spread` is the
sample standard deviation of the scores (n − 1), None for a single verdict. Tokens and price are sums over all attempts;
one unknown value makes the sum unknown, never 0. A cached verdict is marked, costs nothing and is not a new draw.

Law, per run: the units are text × item and the raters are the verdicts (judges and repeats). `spread` is the mean over
the units of the sample standard deviation, `agreement` is Krippendorff's alpha (interval), None where it is undefined.
A single text has too few units to say anything about agreement.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from steelyard.judge.parse import Verdict
from steelyard.outcome import Unscored

V = TypeVar("V")

RATINGS = "judge_ratings"
"""Key in a score's metadata: the rating of every verdict per item, present when there are several verdicts."""


@dataclass(frozen=True, slots=True)
class Call:
    """What one verdict cost."""

    judge: str
    """Name of the Inspect model that was asked."""
    repeat: int
    """0 for the first verdict of this judge on this text."""
    cached: bool = False
    """Whether the verdict came from the cache."""
    attempts: int = 0
    """Requests made, including those that got no reply; 0 for a cached verdict."""
    tokens: int | None = 0
    """Total over the attempts; None when the backend does not report it."""
    cost_usd: float | None = 0.0
    """Total over the attempts; None when the price is unknown. A cached verdict costs 0."""
    seconds: float = 0.0
    """Wall-clock time over the attempts."""
    error: str | None = None
    """Why there is no verdict; None if there is one."""
    protocol: str = "single"
    """`single`, or `quoted` where the quoting protocol gave the verdict."""
    seed: str = ""
    """What everything drawn for this verdict was drawn from; empty where nothing was."""
    decoys: int = 0
    """Decoys shown, over the attempts."""
    decoy_tokens: int = 0
    """About what they added to the requests, in tokens."""
    decoys_taken: int = 0
    """Replies that graded a decoy wrongly."""
    unusable: tuple[str, ...] = ()
    """Why replies could not be used."""

    def as_dict(self) -> dict[str, Any]:
        """The call as JSON data for a log's metadata."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"unusable": list(self.unusable)}


@dataclass(frozen=True, slots=True)
class MeanVerdict:
    """The panel's answer. Every score is finite and in [0, 1]."""

    score: float
    """Mean over the verdicts."""
    scores: Mapping[str, float]
    """The same per item of the rubric."""
    spread: float | None
    """Sample standard deviation of the scores; None for a single verdict."""
    verdicts: int
    """Number of verdicts behind the means."""

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON data for a log's metadata."""
        return {
            "score": self.score,
            "scores": dict(self.scores),
            "spread": self.spread,
            "verdicts": self.verdicts,
        }


@dataclass(frozen=True, slots=True)
class Judgement(Generic[V]):
    """One verdict per judge and repeat."""

    verdicts: tuple[V, ...]
    """Judge by judge, each with its repeats in order."""
    calls: tuple[Call, ...]
    """In the order of `verdicts`."""
    flags: tuple[str, ...] = ()
    """What was done to the graded text before the judge saw it (`steelyard.judge.text`); a hint for the reader."""

    @property
    def draws(self) -> int:
        """Number of new verdicts, not taken from the cache."""
        return sum(not call.cached for call in self.calls)

    def metadata(self) -> dict[str, Any]:
        """For `Score.metadata`: cost and flags and, for verdicts on a rubric, their mean, spread and ratings."""
        metadata = _metadata(self.calls, self.flags)
        if all(isinstance(verdict, Verdict) for verdict in self.verdicts):
            graded = cast("Judgement[Verdict]", self)
            metadata["judge_mean"] = mean_verdict(graded).as_dict()
            metadata[RATINGS] = ratings(graded.verdicts)
        return metadata


@dataclass(frozen=True, slots=True)
class NoVerdict(Unscored):
    """Unscored because of the judge; what the attempt cost is kept."""

    calls: tuple[Call, ...] = ()
    """Every call, the successful ones included."""
    flags: tuple[str, ...] = ()
    """As in `Judgement`."""

    def metadata(self) -> dict[str, Any]:
        """For `Score.metadata`."""
        return _metadata(self.calls, self.flags)


def mean_verdict(judgement: Judgement[Verdict]) -> MeanVerdict:
    """The mean over judges and repeats."""
    verdicts = judgement.verdicts
    totals = [verdict.score for verdict in verdicts]
    return MeanVerdict(
        score=_mean(totals),
        scores={item: _mean([verdict.scores[item] for verdict in verdicts]) for item in verdicts[0].scores},
        spread=statistics.stdev(totals) if len(totals) > 1 else None,
        verdicts=len(verdicts),
    )


def ratings(verdicts: Sequence[Verdict]) -> dict[str, list[float]]:
    """The rating of every verdict, per item; empty for a single verdict, whose ratings are the score itself."""
    if len(verdicts) < 2:
        return {}
    return {item: [round(verdict.scores[item], 6) for verdict in verdicts] for item in verdicts[0].scores}


def concord(texts: Iterable[Mapping[str, Sequence[float]]]) -> dict[str, Any] | None:
    """How well several verdicts agree over the texts of a run; None if no text has several verdicts.

    Args:
        texts: The `ratings` of each text.
    """
    rated = [text for text in texts if any(len(unit) > 1 for unit in text.values())]
    units = [unit for text in rated for unit in text.values() if len(unit) > 1]
    if not units:
        return None
    spread = statistics.fmean(statistics.stdev(unit) for unit in units)
    verdicts = max(len(unit) for unit in units)
    return {"verdicts": verdicts, "texts": len(rated), "spread": round(spread, 6), "agreement": alpha(units)}


def concord_text(agreement: Mapping[str, Any]) -> str:
    """A `concord` in words."""
    value = "not defined" if agreement["agreement"] is None else f"{agreement['agreement']:.2f}"
    return f"{agreement['verdicts']} verdicts per text, mean spread {agreement['spread']:.3f}, agreement α {value}"


def alpha(units: Sequence[Sequence[float]]) -> float | None:
    """Krippendorff's alpha (interval) over units with one rating per rater; None if undefined.

    α = 1 − D_o / D_e. With S(x) = Σ (a − b)² over the ordered pairs of x, n ratings in all and m_u in unit u:
    D_o = Σ_u S(u) / (m_u − 1) / n and D_e = S(all) / (n (n − 1)). It is 1 when all ratings are equal. Inspect has the
    same metric; it is repeated here because nothing that weighs results may import Inspect.
    """
    rated = [unit for unit in units if len(unit) > 1]
    if not rated:
        return None
    everything = [rating for unit in rated for rating in unit]
    n = len(everything)
    observed = sum(_squares(unit) / (len(unit) - 1) for unit in rated) / n
    expected = _squares(everything) / (n * (n - 1))
    value = 1.0 if expected == 0 else 1.0 - observed / expected
    return value if math.isfinite(value) else None


def _squares(values: Sequence[float]) -> float:
    """Σ (a − b)² over the ordered pairs, in the form 2n · Σ (x − x̄)²."""
    mean = sum(values) / len(values)
    return 2 * len(values) * sum((value - mean) ** 2 for value in values)


def _mean(values: Sequence[float]) -> float:
    """The mean, kept inside the range of the values where rounding would leave it."""
    return min(max(statistics.fmean(values), min(values)), max(values))


def _metadata(calls: tuple[Call, ...], flags: tuple[str, ...]) -> dict[str, Any]:
    costs = [call.cost_usd for call in calls]
    tokens = [call.tokens for call in calls]
    return {
        "judge_calls": [call.as_dict() for call in calls],
        "judge_flags": list(flags),
        "judge_tokens": None if None in tokens else sum(count or 0 for count in tokens),
        "judge_cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
        "judge_protocols": sorted({call.protocol for call in calls}),
        "judge_decoys": {
            "shown": sum(call.decoys for call in calls),
            "tokens": sum(call.decoy_tokens for call in calls),
            "taken": sum(call.decoys_taken for call in calls),
        },
    }
