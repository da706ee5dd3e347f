"""How much each part does, by least squares on the same pairs (docs/scoring.md §3.7). Pure.

    w·(y₁ − y₂) = Σ_j s_j·β_j + ε      β_j: the effect of part j, in the unit of y (score, tokens, US dollars, seconds)

The task's own level cancels within a pair. With fewer than two pairs per part and 20 more, each part is estimated by
itself: β_j = mean of s_j·w·(y₁ − y₂). Intervals are those of one look, 95%; what decides is the e-values of `weigh`.

Two parts that need each other show in the mean of a pair, where the effects of single parts cancel:

    w·((y₁ + y₂)/2 − mean of the task) = s_j·s_k·γ + ε,   4γ = effect of j with k − effect of j without k

and count with a t e-value (e⁺ + e⁻)/2 ≥ pairs of parts/α.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from steelyard.stats.interval import CONFIDENCE
from steelyard.stats.paired import Array, t_bounds
from steelyard.stats.sequential import SPREAD_FLOOR, mean_evidence

STRONGEST = 5
"""Parts among which pairs are looked at."""

_SPARE = 20


class Effect(NamedTuple):
    """An effect with its 95% interval; the ends are None where nothing varies."""

    value: float
    low: float | None
    high: float | None


class Interaction(NamedTuple):
    """Two parts that do together what neither does alone."""

    first: int
    second: int
    estimate: Effect
    """How much more the first does where the second is there."""
    e: float


def estimates(signs: Array, differences: Array) -> list[Effect] | None:
    """The effect of each part on what the weighted differences measure; None with fewer than two pairs."""
    pairs, parts = signs.shape
    if pairs < 2:
        return None
    # Least squares needs pairs to spare: with as many parts as pairs it would fit anything.
    if pairs < 2 * parts + _SPARE:
        contrasts = signs * differences[:, None]
        values, errors = contrasts.mean(axis=0), contrasts.std(axis=0, ddof=1) / np.sqrt(pairs)
        degrees = pairs - 1
    else:
        # pinv, because two parts may happen to have the same coins, and then there is no inverse.
        inverse = np.linalg.pinv(signs.T @ signs)
        values = inverse @ signs.T @ differences
        degrees = pairs - parts
        spread = ((differences - signs @ values) ** 2).sum() / degrees
        errors = np.sqrt(spread * np.diag(inverse))
    errors = np.where(errors > SPREAD_FLOOR, errors, 0.0)  # what is left is rounding
    freedom = np.full(parts, degrees, dtype=np.float64)
    lows, highs = t_bounds(values, errors, freedom, CONFIDENCE)
    return [Effect(float(v), *_ends(low, high)) for v, low, high in zip(values, lows, highs, strict=True)]


def interactions(signs: Array, means: Array, strongest: list[int], alpha: float) -> list[Interaction]:
    """The pairs among some parts that are shown to act together; `means`: weighted pair means less the task's."""
    candidates = list(combinations(sorted(strongest), 2))
    found: list[Interaction] = []
    for first, second in candidates if len(means) > 1 else ():
        contrast = 4 * signs[:, first] * signs[:, second] * means
        values = mean_evidence(contrast, scale=0.05)
        e = float(values.gain + values.loss) / 2
        if e >= len(candidates) / alpha:
            estimate = estimates(np.ones((len(contrast), 1)), contrast)
            assert estimate is not None
            found.append(Interaction(first, second, estimate[0], e))
    return sorted(found, key=lambda one: -one.e)


def _ends(low: float, high: float) -> tuple[float | None, float | None]:
    return (None, None) if np.isnan(low) else (float(low), float(high))
