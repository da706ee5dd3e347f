"""Means of a judge's scores corrected for the judge's own errors, which labelled responses show.

Law (PPI++): with the judge's scores f on N texts and n labelled responses (f, y),

    θ = λ·mean(f_N) + mean(y − λ·f)      λ = cov(y, f) / (var(f)·(1 + n/N))
    Var = λ²·var(f_N)/N + var(y − λ·f)/n

Over several groups of texts, each with labels of its own, θ and Var are the sums of N_g/N·θ_g and (N_g/N)²·Var_g.
Intervals are normal and cut to [0, 1]; None with fewer than two labels or texts.

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
        # A group without a variance would enter the sum as if it were known exactly.
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


def _corrected(raw: float, value: float, variance: float, labels: int, confidence: float) -> Corrected:
    half = z_quantile(confidence) * variance**0.5
    low, middle, high = (min(max(end, 0.0), 1.0) for end in (value - half, value, value + half))
    return Corrected(raw, middle, low, high, labels)
