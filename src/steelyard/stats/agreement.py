"""How far raters agree beyond chance: Cohen's kappa with weights and an interval, and Krippendorff's alpha.

Law: over categories 0…k−1, with disagreement weights v_ij (nominal: 0 on the diagonal, else 1; quadratic:
((i − j)/(k − 1))²), observed p_ij, marginals p_i·, p_·j and w_ij = 1 − v_ij:

    p_o = Σ w_ij p_ij     p_e = Σ w_ij p_i· p_·j     κ = (p_o − p_e) / (1 − p_e)

The interval is normal, κ ± z·SE, cut to [−1, 1], with Cohen's standard error (1960; 1968 for weights), which takes
the chance term as given:

    SE = √( (Σ w_ij² p_ij − p_o²) / n ) / (1 − p_e)

A few pairs that almost all agree have a tiny standard error and still prove little: n pairs without a single full
disagreement (v = 1) cannot rule out, at the interval's level, that a share u of all pairs disagrees. So the lower end
is never above what that share would leave:

    u = 1 − ((1 − level)/2)^(1/n)     low ≤ 1 − u / (1 − p_e)

If both raters use the same single category throughout, chance explains everything (p_e = 1) and kappa is undefined:
None, never 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.interval import z_quantile

Weights: TypeAlias = Literal["nominal", "quadratic"]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance, in [−1, 1]."""

    value: float
    se: float
    """Large-sample standard error."""
    low: float
    high: float
    level: float
    """Confidence level of [low, high]."""
    n: int
    """Number of pairs."""


def kappa(
    one: Sequence[int],
    other: Sequence[int],
    *,
    categories: int,
    weights: Weights = "nominal",
    level: float = 0.9,
) -> Kappa | None:
    """Kappa between two ratings of the same items, each a category in 0…categories − 1; None when undefined."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} ratings against {len(other)}")
    table = np.zeros((categories, categories))
    for left, right in zip(one, other, strict=True):
        if not (0 <= left < categories and 0 <= right < categories):
            raise ValueError(f"a rating outside 0…{categories - 1}: {left}, {right}")
        table[left, right] += 1
    return table_kappa(table, weights=weights, level=level)


def table_kappa(
    counts: NDArray[np.float64] | Sequence[Sequence[float]], *, weights: Weights = "nominal", level: float = 0.9
) -> Kappa | None:
    """Kappa of a square table of counts (rows: one rater, columns: the other); None when undefined."""
    table = np.asarray(counts, dtype=float)
    n = float(table.sum())
    if n == 0:
        return None
    shares = table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    w = 1.0 - _disagreement(len(table), weights)
    observed = float((w * shares).sum())
    expected = float(rows @ w @ columns)
    if 1.0 - expected < 1e-12:
        return None
    value = (observed - expected) / (1.0 - expected)
    spread = float((w**2 * shares).sum()) - observed**2
    # Rounding can leave the spread just below 0 where all pairs agree.
    se = float(np.sqrt(max(spread, 0.0) / n)) / (1.0 - expected)
    z = z_quantile(level)
    # Otherwise a handful of pairs that all agree would have an interval of width 0.
    unseen = 1.0 - ((1.0 - level) / 2) ** (1.0 / n)
    low = min(value - z * se, 1.0 - unseen / (1.0 - expected))
    return Kappa(value, se, max(low, -1.0), min(value + z * se, 1.0), level, round(n))


def _disagreement(categories: int, weights: Weights) -> NDArray[np.float64]:
    places = np.arange(categories, dtype=float)
    apart = np.abs(places[:, None] - places[None, :])
    return (apart > 0).astype(float) if weights == "nominal" else (apart / max(categories - 1, 1)) ** 2


# Inspect has the same metric, but nothing that weighs results may import Inspect.
def alpha(units: Sequence[Sequence[float]]) -> float | None:
    """Krippendorff's alpha (interval) over units with one rating per rater; None if undefined.

    α = 1 − D_o / D_e. With S(x) = Σ (a − b)² over the ordered pairs of x, n ratings in all and m_u in unit u:
    D_o = Σ_u S(u) / (m_u − 1) / n and D_e = S(all) / (n (n − 1)). It is 1 when all ratings are equal.
    """
    # A unit with a single rating has nothing to agree with.
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
    """Σ (a − b)² over the ordered pairs."""
    mean = sum(values) / len(values)
    # The same additions as in Inspect's metric, so that both agree to the last digit.
    return 2 * len(values) * sum((value - mean) ** 2 for value in values)
