"""Intervals around one number.

Wilson for a proportion k/n, with z the normal quantile:

    centre = (p + z²/2n) / (1 + z²/n)        half = z/(1 + z²/n) · √(p(1−p)/n + z²/4n²)

t for a mean: x̄ ± t_{n−1}·s/√n. A spread s over r runs: s·√((r−1)/χ²). A weighted sum: SE = √(Σ w²·SE²), then ± z·SE.
The unit is the item, never (item, epoch): reduce epochs to item means first. An interval that cannot be estimated (one
value, no spread) is None, never a width of zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from statistics import NormalDist, fmean, stdev

CONFIDENCE = 0.95
"""Confidence level of every interval, unless the caller sets another."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its confidence interval."""

    estimate: float
    low: float
    high: float
    se: float
    """Standard error of the estimate."""
    method: str
    """`wilson`, `t`, `propagation`, …"""
    n: int
    """Number of units: items, clusters or runs."""

    def holds(self, value: float) -> bool:
        """Whether `value` lies inside."""
        return self.low <= value <= self.high


@cache
def z_quantile(confidence: float = CONFIDENCE) -> float:
    """The two-sided normal quantile: 1.959964 at 95%."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


@lru_cache(maxsize=1024)
def t_quantile(df: float, confidence: float = CONFIDENCE) -> float:
    """The two-sided t quantile with `df` degrees of freedom."""
    from scipy.special import stdtrit  # slow to import

    return float(stdtrit(df, 0.5 + confidence / 2))


def wilson(successes: float, n: int, confidence: float = CONFIDENCE) -> Interval:
    """The Wilson interval of a proportion; sensible at 0 and 1 too, where its SE comes from its own half-width.

    `successes` may be fractional (a mean of values in [0, 1]): the interval is then wider than needed, never narrower.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is not a proportion")
    p, z = successes / n, z_quantile(confidence)
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # Exactly 0 and 1 at the ends, where rounding would leave a number just beside them.
    low = 0.0 if p == 0 else max(0.0, centre - half)
    high = 1.0 if p == 1 else min(1.0, centre + half)
    se = math.sqrt(p * (1 - p) / n) if 0 < p < 1 else (high - low) / (2 * z)
    return Interval(p, low, high, se, "wilson", n)


def t_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The t interval of a mean; None for fewer than two values, or when all are equal."""
    n = len(values)
    if n < 2:
        return None
    mean, se = fmean(values), stdev(values) / math.sqrt(n)
    # A spread of rounding errors would give a width of about zero, which claims certainty.
    if se <= _tiny(values):
        return None
    half = t_quantile(n - 1, confidence) * se
    return Interval(mean, mean - half, mean + half, se, "t", n)


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The interval of a mean of scores in [0, 1], one per item, kept inside [0, 1].

    Only zeros and ones: Wilson. Otherwise t; if t cannot be estimated, Wilson on the sum, which assumes the largest
    spread that values in [0, 1] can have. None if there are no values.
    """
    if not values:
        return None
    binary = all(value in (0.0, 1.0) for value in values)
    interval = None if binary else t_interval(values, confidence)
    if interval is None:
        return wilson(min(max(math.fsum(values), 0.0), float(len(values))), len(values), confidence)
    return replace(interval, low=max(0.0, interval.low), high=min(1.0, interval.high))


def sd_interval(sd: float, runs: int, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """The interval of the true spread if `runs` runs showed `sd`; None for a single run."""
    return None if runs < 2 else pooled_sd_interval(sd, runs - 1, confidence)


def pooled_sd_interval(sd: float, df: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The same from a pooled spread: T tasks with r runs each have df = T·(r − 1)."""
    # scipy is slow to import, and most commands never get here.
    from scipy.special import chdtri

    tail = (1 - confidence) / 2
    return sd * math.sqrt(df / float(chdtri(df, tail))), sd * math.sqrt(df / float(chdtri(df, 1 - tail)))


def propagate(parts: Iterable[tuple[float, Interval]], confidence: float = CONFIDENCE) -> Interval:
    """The interval of Σ weight·estimate over independent parts."""
    pairs = list(parts)
    estimate = math.fsum(weight * part.estimate for weight, part in pairs)
    se = math.sqrt(math.fsum((weight * part.se) ** 2 for weight, part in pairs))
    half = z_quantile(confidence) * se
    return Interval(estimate, estimate - half, estimate + half, se, "propagation", sum(part.n for _, part in pairs))


def _tiny(values: Sequence[float]) -> float:
    """A spread below this is rounding error."""
    return 1e-12 * max(1.0, *(abs(value) for value in values))
