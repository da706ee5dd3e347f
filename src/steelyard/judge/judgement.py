"""The result of asking a panel: every verdict with its cost, or the reason why there is none. Pure.

Per text: the score is the mean of the verdicts' scores, and the score of each item likewise; `spread` is the
sample standard deviation of the scores (n − 1), None for a single verdict. Tokens and price are sums over all attempts;
one unknown value makes the sum unknown, never 0.

Per run: the units are text × item and the raters are the verdicts (judges and repeats). `spread` is the mean over
the units of the sample standard deviation, `agreement` is Krippendorff's alpha (interval), None where it is undefined.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar, cast

from steelyard.judge.parse import Verdict
from steelyard.outcome import Unscored

V = TypeVar("V")

UNUSABLE = "judge_unusable"
"""Key in a score's metadata: gradings without a usable reply, and gradings."""

RATINGS = "judge_ratings"
"""Key in a score's metadata: the rating of every verdict per item; empty for one alone, whose ratings are the score."""


@dataclass(slots=True)
class Call:
    """What one verdict cost. Filled in while the judge is asked."""

    judge: str
    repeat: int
    """0 for the first verdict of this judge on this text."""
    cached: bool = False
    attempts: int = 0
    """Requests made, including those that got no reply."""
    tokens: int | None = 0
    """Total over the attempts; None when the backend does not report it."""
    cost_usd: float | None = 0.0
    """Likewise; None when the price is unknown."""
    seconds: float = 0.0
    error: str | None = None
    """Why there is no verdict; None if there is one."""
    protocol: str = "single"
    """`single`, or `quoted` where the quoting protocol gave the verdict."""
    seed: str = ""
    """What everything drawn for this verdict was drawn from; empty where nothing was."""
    decoys: int = 0
    decoy_tokens: int = 0
    """About what they added to the requests."""
    decoys_taken: int = 0
    """Replies that graded a decoy wrongly."""
    unusable: tuple[str, ...] = ()
    """Why replies could not be used."""
    lost: bool = False
    """Whether something counts as not met because no reply about it could be used."""


@dataclass(frozen=True, slots=True)
class MeanVerdict:
    """The means over a panel's verdicts. Every score is finite and in [0, 1]."""

    score: float
    scores: Mapping[str, float]
    """Per item of the rubric."""
    spread: float | None
    verdicts: int


@dataclass(frozen=True, slots=True)
class Judgement(Generic[V]):
    """One verdict per judge and repeat."""

    verdicts: tuple[V, ...]
    """Judge by judge, each with its repeats in order."""
    calls: tuple[Call, ...]
    """In the order of `verdicts`."""
    flags: tuple[str, ...] = ()
    """What was done to the graded text before the judge saw it."""

    def by(self, judge: str) -> Judgement[V]:
        """What one of the judges says."""
        own = [place for place, call in enumerate(self.calls) if call.judge == judge]
        calls = tuple(self.calls[place] for place in own)
        return Judgement(tuple(self.verdicts[place] for place in own), calls, self.flags)

    def metadata(self) -> dict[str, Any]:
        """For `Score.metadata`: cost and flags and, for verdicts on a rubric, their mean, spread and ratings."""
        metadata = _metadata(self.calls, self.flags)
        if all(isinstance(verdict, Verdict) for verdict in self.verdicts):
            graded = cast("Judgement[Verdict]", self)
            metadata["judge_mean"] = asdict(mean_verdict(graded))
            items = graded.verdicts[0].scores if len(graded.verdicts) > 1 else ()
            metadata[RATINGS] = {item: [round(each.scores[item], 6) for each in graded.verdicts] for item in items}
        return metadata


@dataclass(frozen=True, slots=True)
class NoVerdict(Unscored):
    """Unscored because of the judge; what the attempt cost is kept."""

    calls: tuple[Call, ...] = ()
    """Every call, the successful ones included."""
    flags: tuple[str, ...] = ()

    def by(self, judge: str) -> NoVerdict:
        """The calls of one of the judges."""
        return replace(self, calls=tuple(call for call in self.calls if call.judge == judge))

    def metadata(self) -> dict[str, Any]:
        """For `Score.metadata`."""
        return _metadata(self.calls, self.flags)


Reply: TypeAlias = Judgement[Verdict] | NoVerdict
"""What a panel says about a text that is graded by a rubric."""


def mean_verdict(judgement: Judgement[Verdict]) -> MeanVerdict:
    """The mean over judges and repeats."""
    verdicts = judgement.verdicts
    totals = [verdict.score for verdict in verdicts]
    scores = {item: _mean([verdict.scores[item] for verdict in verdicts]) for item in verdicts[0].scores}
    return MeanVerdict(_mean(totals), scores, statistics.stdev(totals) if len(totals) > 1 else None, len(totals))


def concord(texts: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """How well verdicts agree over a run, by the metadata of its scores; None if no text has several verdicts."""
    rated = [units for text in texts if (units := _rated(text.get(RATINGS)))]
    units = [unit for text in rated for unit in text]
    if not units:
        return None
    from steelyard.stats.agreement import alpha  # numpy is slow to import, and most runs have one verdict per text

    spread = statistics.fmean(statistics.stdev(unit) for unit in units)
    verdicts = max(len(unit) for unit in units)
    return {"verdicts": verdicts, "texts": len(rated), "spread": round(spread, 6), "agreement": alpha(units)}


def _rated(written: object) -> list[list[float]]:
    """The ratings of one text per item, of those with several; a log may hold anything under their name."""
    units = cast(dict[str, Any], written).values() if isinstance(written, dict) else []
    return [unit for unit in units if isinstance(unit, list) and len(cast(Any, unit)) > 1 and all(map(_rating, unit))]


def _rating(written: object) -> bool:
    return isinstance(written, (int, float)) and 0 <= written <= 1


def concord_text(agreement: Mapping[str, Any]) -> str:
    """A `concord` in words."""
    value = "not defined" if agreement["agreement"] is None else f"{agreement['agreement']:.2f}"
    return f"{agreement['verdicts']} verdicts per text, mean spread {agreement['spread']:.3f}, agreement α {value}"


def decoys(calls: Iterable[Call]) -> dict[str, int]:
    """Decoys shown, about what they cost in tokens, and replies that took one."""
    names = {"shown": "decoys", "tokens": "decoy_tokens", "taken": "decoys_taken"}
    counted = list(calls)
    return {said: sum(getattr(call, name) for call in counted) for said, name in names.items()}


def unusable(texts: Iterable[Mapping[str, Any]]) -> dict[str, int] | None:
    """How many gradings of a run had no usable reply, by the metadata of its scores; None if none of them."""
    counts = [count for text in texts if (count := _count(text.get(UNUSABLE))) is not None]
    lost, gradings = (sum(count[place] for count in counts) for place in (0, 1))
    return {"unusable": lost, "gradings": gradings} if lost else None


def _count(written: object) -> list[int] | None:
    """A count and the whole that it is a part of; a log may hold anything under their name."""
    parts = list(cast(Iterable[Any], written)) if isinstance(written, (list, tuple)) else []
    return parts if [type(part) for part in parts] == [int, int] and 0 <= parts[0] <= parts[1] else None


def unusable_text(found: Mapping[str, int]) -> str:
    """An `unusable` in words, with the cure."""
    return (
        f"{found['unusable']} of {found['gradings']} gradings had no usable reply, so what the judge left open counts "
        "as not met; use a stronger judge, or ask it for one item at a time with --judge-protocol quoted"
    )


def _mean(values: Sequence[float]) -> float:
    """The mean, kept inside the range of the values where rounding would leave it."""
    return min(max(statistics.fmean(values), min(values)), max(values))


def _metadata(calls: tuple[Call, ...], flags: tuple[str, ...]) -> dict[str, Any]:
    costs, tokens = [call.cost_usd for call in calls], [call.tokens for call in calls]
    return {
        "judge_calls": [asdict(call) | {"unusable": list(call.unusable)} for call in calls],
        "judge_flags": list(flags),
        "judge_tokens": None if None in tokens else sum(count or 0 for count in tokens),
        "judge_cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
        UNUSABLE: [sum(call.lost for call in calls), len(calls)],
        "judge_decoys": decoys(calls),
    }
