"""What asking a panel gave: every verdict with what it took, or why there is none.

Law: tokens and price are sums over all attempts; one unknown makes the sum unknown, never 0. A cached verdict is
marked, costs nothing and is no draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from steelyard.judge.jury import RATINGS, mean_verdict, ratings_of
from steelyard.judge.parse import Verdict
from steelyard.outcome import Unscored

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Call:
    """What one verdict took."""

    judge: str
    repeat: int
    """0 for the first verdict of this judge on this text."""
    cached: bool = False
    attempts: int = 0
    """Replies received or waited for in vain; 0 for a cached verdict."""
    tokens: int | None = 0
    """Total over the attempts; None when the backend does not say."""
    cost_usd: float | None = 0.0
    """Total over the attempts; None when the price is unknown. A cached verdict costs 0."""
    seconds: float = 0.0
    error: str | None = None
    """Why there is no verdict, when there is none."""

    def as_dict(self) -> dict[str, Any]:
        """For a log's metadata."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Judgement(Generic[V]):
    """A verdict of every judge and repeat."""

    verdicts: tuple[V, ...]
    """Judge by judge, each with its repeats in order."""
    calls: tuple[Call, ...]
    """In the order of `verdicts`."""
    flags: tuple[str, ...] = ()
    """What was suspicious about the graded text (`steelyard.judge.text`)."""

    @property
    def draws(self) -> int:
        """Verdicts that were newly drawn, not taken from the cache."""
        return sum(not call.cached for call in self.calls)

    def metadata(self) -> dict[str, Any]:
        """For `Score.metadata`: what it took and, for verdicts on a rubric, their mean, spread and ratings."""
        carried = _metadata(self.calls, self.flags)
        if all(isinstance(verdict, Verdict) for verdict in self.verdicts):
            graded = cast("Judgement[Verdict]", self)
            carried["judge_mean"] = mean_verdict(graded).as_dict()
            carried[RATINGS] = ratings_of(graded.verdicts)
        return carried


@dataclass(frozen=True, slots=True)
class NoVerdict(Unscored):
    """Unscored through the judge, with what it took all the same."""

    calls: tuple[Call, ...] = ()
    flags: tuple[str, ...] = ()

    def metadata(self) -> dict[str, Any]:
        """For `Score.metadata`."""
        return _metadata(self.calls, self.flags)


def _metadata(calls: tuple[Call, ...], flags: tuple[str, ...]) -> dict[str, Any]:
    costs = [call.cost_usd for call in calls]
    tokens = [call.tokens for call in calls]
    return {
        "judge_calls": [call.as_dict() for call in calls],
        "judge_flags": list(flags),
        "judge_tokens": None if None in tokens else sum(each or 0 for each in tokens),
        "judge_cost_usd": None if None in costs else sum(each or 0.0 for each in costs),
    }
