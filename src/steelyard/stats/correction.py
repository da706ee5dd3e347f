"""Means of a judge's scores corrected for the judge's own errors, which labelled responses show.

Law, for graded scores (PPI++): with the judge's scores f on N texts and n labelled responses (f, y),

    θ = λ·mean(f_N) + mean(y − λ·f)      λ = cov(y, f) / (var(f)·(1 + n/N))
    Var = λ²·var(f_N)/N + var(y − λ·f)/n

and for yes or no (Rogan–Gladen): with a share p̂ of yes on N texts, q1 the judge's share of yes where people say yes (of
n1) and q0 its share of no where people say no (of n0),

    θ = (p̂ + q0 − 1) / (q0 + q1 − 1)
    Var = (p̂(1 − p̂)/N + (1 − θ)²·q0(1 − q0)/n0 + θ²·q1(1 − q1)/n1) / (q0 + q1 − 1)²

Over several groups of texts, each with labels of its own, θ and Var are the sums of N_g/N·θ_g and (N_g/N)²·Var_g.
Intervals are normal. Both are None where nothing can be said: fewer than two labels or texts, a judge that does no
better than a coin. Both are cut to [0, 1].

One score at a time is `rectified` by the line that fits the labels best, y = ȳ + cov(y, f)/var(f)·(f − f̄), cut to
[0, 1]: what people would be expected to say.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steelyard.stats.interval import CONFIDENCE, z_quantile


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean before and after the correction."""

    raw: float
    value: float
    low: float
    high: float
    labels: int
    """Labelled responses behind the correction."""


def corrected_text(found: Corrected) -> str:
    """Both means in words."""
    ends = f"{found.low:.3f} to {found.high:.3f}"
    return f"mean {found.raw:.3f}, corrected by {found.labels} labels {found.value:.3f} (95%: {ends})"


Labelled: TypeAlias = Sequence[tuple[float, float]]
"""Pairs of the judge's and people's score of one response."""


def ppi(scores: Sequence[float], labelled: Labelled, confidence: float = CONFIDENCE) -> Corrected | None:
    """The corrected mean of `scores`."""
    return ppi_over([(scores, labelled)], confidence)


def ppi_over(groups: Sequence[tuple[Sequence[float], Labelled]], confidence: float = CONFIDENCE) -> Corrected | None:
    """The corrected mean over groups of scores, each with labels of its own."""
    total = sum(len(scores) for scores, _ in groups)
    value = variance = 0.0
    for scores, labelled in groups:
        if len(scores) < 2 or len(labelled) < 2:
            return None
        share, weight = len(scores) / total, _slope(labelled) / (1 + len(labelled) / len(scores))
        rest = [label - weight * judge for judge, label in labelled]
        value += share * (weight * statistics.fmean(scores) + statistics.fmean(rest))
        own = weight**2 * statistics.variance(scores) / len(scores) + statistics.variance(rest) / len(rest)
        variance += share**2 * own
    if not total:
        return None
    raw = statistics.fmean(score for scores, _ in groups for score in scores)
    return _corrected(raw, value, variance, sum(len(labelled) for _, labelled in groups), confidence)


def rectified(labelled: Labelled) -> Callable[[float], float]:
    """The judge's score of one text to what people would be expected to say."""
    slope = _slope(labelled)
    offset = statistics.fmean(label - slope * judge for judge, label in labelled)
    return lambda score: min(max(slope * score + offset, 0.0), 1.0)


def _slope(labelled: Labelled) -> float:
    """cov(y, f) / var(f): what the judge's scores are worth; 0 if it gives everything the same."""
    judged, truth = [pair[0] for pair in labelled], [pair[1] for pair in labelled]
    spread = statistics.variance(judged)
    return statistics.covariance(truth, judged) / spread if spread > 0 else 0.0


def rogan_gladen(
    share: float, n: int, yes: tuple[int, int], no: tuple[int, int], confidence: float = CONFIDENCE
) -> Corrected | None:
    """The corrected share of yes among `n` texts.

    Args:
        share: The judge's share of yes.
        n: Number of texts.
        yes: Of the responses that people call met, how many the judge does, and how many there are.
        no: Of those that people call not met, how many the judge calls so, and how many there are.
        confidence: Level of the interval.
    """
    if not (n and yes[1] and no[1]):
        return None
    q1, q0 = yes[0] / yes[1], no[0] / no[1]
    if (youden := q0 + q1 - 1) <= 0:
        return None
    value = (share + q0 - 1) / youden
    own = share * (1 - share) / n
    errors = (1 - value) ** 2 * q0 * (1 - q0) / no[1] + value**2 * q1 * (1 - q1) / yes[1]
    return _corrected(share, value, (own + errors) / youden**2, yes[1] + no[1], confidence)


def _corrected(raw: float, value: float, variance: float, labels: int, confidence: float) -> Corrected:
    half = z_quantile(confidence) * variance**0.5
    low, middle, high = (min(max(end, 0.0), 1.0) for end in (value - half, value, value + half))
    return Corrected(raw, middle, low, high, labels)
