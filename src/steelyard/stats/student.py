"""Student's t and the incomplete beta function, on whole arrays; importing scipy's would double the start of a board.

    P(T ≤ t) = 1 − ½·I_x(df/2, ½) with x = df/(df + t²), for t ≥ 0
    I_x(a, b) = x^a·(1−x)^b / (a·B(a, b)) · 1/(1 + d₁/(1 + d₂/(1 + …))), on the side where the fraction converges fast

A quantile is found by Newton's method. Tests hold every function equal to scipy's. NaN in, NaN out.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]

_TERMS = 10_000
"""Terms of the fraction at most; it takes about √max(a, b)."""
_STEPS = 200
"""Newton steps at most; usually three."""
_CLOSE = 1e-8
"""A relative step as small as this was the last: the error that is left is about its square."""
_EXACT = 1e-15
_TINY = 1e-300
"""In place of a denominator that is 0."""


def log_gamma(values: ArrayLike) -> Array:
    """log Γ of each value."""
    array = np.asarray(values, dtype=float)
    return np.array([math.lgamma(value) for value in array.ravel().tolist()]).reshape(array.shape)


def incomplete_beta(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """The regularized incomplete beta function I_x(a, b)."""
    a, b, x = (np.asarray(each, dtype=float) for each in np.broadcast_arrays(a, b, x))
    return _beta_share(a, b, x, 1 - x, log_gamma(a) + log_gamma(b) - log_gamma(a + b))


def t_cdf(df: ArrayLike, t: ArrayLike) -> Array:
    """P(T ≤ t) with `df` degrees of freedom."""
    df, t = (np.asarray(each, dtype=float) for each in np.broadcast_arrays(df, t))
    tail = _t_tail(df, t, _log_beta(df))
    return np.where(t > 0, 1 - tail, tail)


def t_quantile_at(df: ArrayLike, p: float) -> Array:
    """The t with P(T ≤ t) = p, for ½ ≤ p < 1."""
    df, places = np.unique(np.asarray(df, dtype=float), return_inverse=True)
    log_beta, z = _log_beta(df), NormalDist().inv_cdf(p)
    # Where there is little freedom, from the normal quantile, which is smaller: no step then goes too far.
    near = (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
    t, settled = z + np.where(df > 4, near, 0.0 * df), np.isnan(df)
    for _ in range(_STEPS):
        density = np.exp(-log_beta - (df + 1) / 2 * np.log1p(t * t / df)) / np.sqrt(df)
        step = np.where(settled, 0.0, (_t_tail(df, t, log_beta) - (1 - p)) / density)
        t = t + step
        settled |= np.abs(step) <= _CLOSE * np.maximum(np.abs(t), _CLOSE)
        if settled.all():
            break
    return t[places]


def _log_beta(df: Array) -> Array:
    """log B(df/2, ½)."""
    return log_gamma(df / 2) + math.lgamma(0.5) - log_gamma((df + 1) / 2)


def _t_tail(df: Array, t: Array, log_beta: Array) -> Array:
    """P(T > |t|)."""
    square = t * t
    return _beta_share(df / 2, np.full_like(df, 0.5), df / (df + square), square / (df + square), log_beta) / 2


def _beta_share(a: Array, b: Array, x: Array, rest: Array, log_beta: Array) -> Array:
    """I_x(a, b), where `rest` is 1 − x and `log_beta` is log B(a, b)."""
    swap = x > (a + 1) / (a + b + 2)
    first, second = np.where(swap, b, a), np.where(swap, a, b)
    near, far = np.where(swap, rest, x), np.where(swap, x, rest)
    with np.errstate(divide="ignore"):
        powers = first * np.log(near) + second * np.log(far)
    part = np.exp(powers - log_beta) / first * _fraction(first, second, near)
    return np.where(swap, 1 - part, part)


def _fraction(a: Array, b: Array, x: Array) -> Array:
    """The continued fraction, by Lentz's method."""
    above = np.ones_like(x)
    value = below = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    settled = np.isnan(value)
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        above = _not_zero(1 + even / above)
        below = 1 / _not_zero(1 + even * below)
        change = above * below
        above = _not_zero(1 + odd / above)
        below = 1 / _not_zero(1 + odd * below)
        change *= above * below
        # A value that has settled stays: it must not depend on what else is in the array.
        value = np.where(settled, value, value * change)
        settled |= np.abs(change - 1) <= _EXACT
        if settled.all():
            break
    return value


def _not_zero(values: Array) -> Array:
    return np.where(np.abs(values) < _TINY, _TINY, values)
