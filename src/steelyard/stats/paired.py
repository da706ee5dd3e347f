"""Two subjects on the same items: d_i = a_i − b_i.

Graded items: d̄ ± t_{n−1}·s/√n. Binary items, as the 2×2 table (a both, b only the first, c only the second, d none):

    McNemar exact p = 2·P(Bin(b+c, ½) ≤ min(b, c)); mid-p, the default, subtracts P(= min)
    Newcombe (method 10) for the interval; Bonett-Price if every difference is equal

All differences equal and not binary: not estimable (None), never a width of zero. Every function takes arrays, so that
all pairs of a board are compared in one pass; numbers in, numbers out, NaN if there is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.interval import CONFIDENCE, z_quantile

Array: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = Array | float | int

TOST_CONFIDENCE = 0.90
"""Two one-sided tests at 5% are a 90% interval inside the margin."""


@dataclass(frozen=True, slots=True)
class Differences:
    """Paired differences of many pairs at once; every field is an array over pairs."""

    estimate: Array
    low: Array
    high: Array
    """The 95% interval."""
    low90: Array
    high90: Array
    """The 90% interval, for equivalence."""
    p: Array
    se: Array
    df: Array
    """Degrees of freedom of `se`."""
    method: str
    """`newcombe + mid-p`, or `t`."""


def compare(first: Sequence[float] | Array, second: Sequence[float] | Array) -> Differences:
    """The paired difference first − second on the same items (a single pair; arrays of length 1)."""
    return compare_all(np.asarray([first, second], dtype=float), np.array([[0, 1]]))


def compare_all(scores: Array, pairs: NDArray[np.intp]) -> Differences:
    """All `pairs` (rows of two indices) of a subjects × items matrix without gaps."""
    binary = bool(np.isin(scores, (0.0, 1.0)).all())
    return _compare_binary(scores, pairs) if binary else _compare_graded(scores, pairs)


def mcnemar(b: Numbers, c: Numbers) -> tuple[Array, Array]:
    """Exact and mid-p values for the discordant counts; 1.0 if nothing is discordant."""
    from scipy.special import bdtr, gammaln  # slow to import

    n, small = np.add(b, c, dtype=float), np.minimum(b, c).astype(float)
    tail = 2 * bdtr(small, n.astype(int), 0.5)
    point = np.exp(gammaln(n + 1) - gammaln(small + 1) - gammaln(n - small + 1) - n * math.log(2))
    return np.minimum(1.0, tail), np.minimum(1.0, tail - point)


def newcombe(a: Numbers, b: Numbers, c: Numbers, d: Numbers, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
    """Newcombe's method 10 for the difference of paired proportions (a+b)/n − (a+c)/n."""
    a, b, c, d = (np.asarray(count, dtype=float) for count in (a, b, c, d))
    n = a + b + c + d
    p1, p2 = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = _wilson(p1, n, confidence), _wilson(p2, n, confidence)
    phi = _phi(a, b, c, d)
    down1, up1, down2, up2 = p1 - l1, u1 - p1, p2 - l2, u2 - p2
    difference = p1 - p2
    low = difference - np.sqrt(np.maximum(0.0, down1**2 - 2 * phi * down1 * up2 + up2**2))
    high = difference + np.sqrt(np.maximum(0.0, down2**2 - 2 * phi * down2 * up1 + up1**2))
    return low, high


def bonett_price(b: Numbers, c: Numbers, n: Numbers, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
    """Bonett-Price: p12 = (b+1)/(n+2), p21 = (c+1)/(n+2), D ± z·√((p12 + p21 − D²)/(n+2))."""
    b, c, n = (np.asarray(count, dtype=float) for count in (b, c, n))
    p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    difference = p12 - p21
    half = z_quantile(confidence) * np.sqrt((p12 + p21 - difference**2) / (n + 2))
    return np.maximum(-1.0, difference - half), np.minimum(1.0, difference + half)


def t_test(mean: Numbers, se: Numbers, df: Numbers) -> Array:
    """Two-sided p of mean/se; NaN if se is 0."""
    from scipy.special import stdtr  # slow to import

    mean, se = np.asarray(mean, dtype=float), np.asarray(se, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(mean) / np.where(se > 0, se, np.nan)
    return np.asarray(2 * stdtr(df, -ratio), dtype=float)


def t_bounds(mean: Array, se: Array, df: Array, confidence: float = CONFIDENCE) -> tuple[Array, Array]:
    """mean ± t·se; NaN if se is 0."""
    from scipy.special import stdtrit  # slow to import

    half = stdtrit(df, 0.5 + confidence / 2) * np.where(se > 0, se, np.nan)
    return mean - half, mean + half


def weighted(parts: Sequence[tuple[float, Differences]]) -> Differences:
    """The difference of two weighted sums: Σ w·d̄, SE² = Σ w²·SE², df by Welch-Satterthwaite."""
    estimate = _sum(weight * part.estimate for weight, part in parts)
    squares = [(weight * part.se) ** 2 for weight, part in parts]
    variance = _sum(squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance**2 / _sum(square**2 / part.df for square, (_, part) in zip(squares, parts, strict=True))
    # Without variance the bounds are NaN whatever df is; it only has to be a number.
    df, se = np.where(variance > 0, df, 1.0), np.sqrt(variance)
    low, high = t_bounds(estimate, se, df)
    low90, high90 = t_bounds(estimate, se, df, TOST_CONFIDENCE)
    return Differences(estimate, low, high, low90, high90, t_test(estimate, se, df), se, df, "propagation")


def _compare_graded(scores: Array, pairs: NDArray[np.intp]) -> Differences:
    d = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    n = d.shape[1]
    estimate = d.mean(axis=1)
    sd = d.std(axis=1, ddof=1) if n > 1 else np.zeros(len(pairs))
    se = np.where(sd > 1e-12, sd / math.sqrt(n), 0.0)  # less than that is rounding error
    df = np.full(len(pairs), max(n - 1, 1), dtype=float)
    low, high = t_bounds(estimate, se, df)
    low90, high90 = t_bounds(estimate, se, df, TOST_CONFIDENCE)
    return Differences(estimate, low, high, low90, high90, t_test(estimate, se, df), se, df, "t")


def _compare_binary(scores: Array, pairs: NDArray[np.intp]) -> Differences:
    first, second = scores[pairs[:, 0]], scores[pairs[:, 1]]
    n = scores.shape[1]
    a, b, c = (first * second).sum(1), (first * (1 - second)).sum(1), ((1 - first) * second).sum(1)
    d = n - a - b - c
    estimate = (b - c) / n
    bounds = [_binary_bounds(a, b, c, d, level) for level in (CONFIDENCE, TOST_CONFIDENCE)]
    spread = (b + c) / n - estimate**2
    # If every difference is equal, the observed spread is 0: use the width of Bonett-Price instead.
    floor = (bounds[0][1] - bounds[0][0]) / (2 * z_quantile())
    se = np.where(spread > 1e-12, np.sqrt(np.maximum(spread, 0) / max(n - 1, 1)), floor)
    df = np.full(len(pairs), max(n - 1, 1), dtype=float)
    return Differences(estimate, *bounds[0], *bounds[1], mcnemar(b, c)[1], se, df, "newcombe + mid-p")


def _binary_bounds(a: Array, b: Array, c: Array, d: Array, confidence: float) -> tuple[Array, Array]:
    n = a + b + c + d
    flat = ((b == 0) & (c == 0)) | (b == n) | (c == n)
    usual, equal = newcombe(a, b, c, d, confidence), bonett_price(b, c, n, confidence)
    return np.where(flat, equal[0], usual[0]), np.where(flat, equal[1], usual[1])


def _wilson(p: Array, n: Array, confidence: float) -> tuple[Array, Array]:
    z = z_quantile(confidence)
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return np.maximum(0.0, centre - half), np.minimum(1.0, centre + half)


def _phi(a: Array, b: Array, c: Array, d: Array) -> Array:
    n, cross = a + b + c + d, a * d - b * c
    product = (a + b) * (c + d) * (a + c) * (b + d)
    # Newcombe's continuity correction, for positive correlation only.
    corrected = np.where(cross > n / 2, cross - n / 2, np.where(cross >= 0, 0.0, cross))
    return np.where(product > 0, corrected / np.sqrt(np.where(product > 0, product, 1.0)), 0.0)


def _sum(parts: Any) -> Array:
    return np.sum(np.stack(list(parts)), axis=0)
