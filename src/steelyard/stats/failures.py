"""Which checks fail more often than before, when every check has a failure rate of its own.

n checks over r rounds, with failures fb_i under the baseline and fc_i under the candidate. The prior of a failure rate
comes from the baseline's own checks, by moments:

    m = (Σ fb + .5)/(nr + 1),   v = sample variance of fb/r
    ρ = clip( max(v − m(1−m)/r, 0)·r/(r−1) / (m(1−m)), .02, .9 ),   s = 1/ρ − 1,   a = m·s,   b = (1−m)·s

and a check is as bad as it looks by chance alone with probability

    p_i = P( BetaBinomial(r_c, a + fb_i, b + r_b − fb_i) ≥ fc_i )

`suspect`: n·p_i < .05. `confirmed`: n·p_i·√looks < α/4, looks = R_max − R_min + 1 (1 for fixed rounds). Extra rounds of
one check enter its own r_b and r_c; the prior uses full rounds only. Checks run along the last axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steelyard.stats.paired import Array

_LEAST_CORRELATION, _MOST_CORRELATION = 0.02, 0.9
"""Bounds of ρ: checks are never assumed to be identical, nor to fail always or never."""


class FailurePrior(NamedTuple):
    """Beta(a, b), the distribution of failure rates among the baseline's checks."""

    a: Array
    b: Array


def failure_prior(failures: ArrayLike, rounds: float) -> FailurePrior:
    """The prior estimated from the baseline's own checks and their failures over `rounds` full rounds."""
    counts = np.asarray(failures, dtype=float)
    n = counts.shape[-1]
    mean = (counts.sum(axis=-1) + 0.5) / (n * rounds + 1)
    noise = mean * (1 - mean)
    if n < 2 or rounds < 2:  # the spread between checks is unknown: use the widest prior
        correlation = np.full(np.shape(mean), _MOST_CORRELATION)
    else:
        excess = np.maximum((counts / rounds).var(axis=-1, ddof=1) - noise / rounds, 0.0) * rounds / (rounds - 1)
        correlation = np.clip(excess / noise, _LEAST_CORRELATION, _MOST_CORRELATION)
    size = 1 / correlation - 1
    return FailurePrior(mean * size, (1 - mean) * size)


def worse_by_chance(
    prior: FailurePrior, before: ArrayLike, rounds_before: ArrayLike, after: ArrayLike, rounds_after: ArrayLike
) -> Array:
    """p_i: the probability of at least `after` failures if nothing changed since `before`."""
    fb, rb, fc, rc = (np.asarray(values, dtype=float) for values in (before, rounds_before, after, rounds_after))
    a, b = np.asarray(prior.a)[..., None] + fb, np.asarray(prior.b)[..., None] + rb - fb
    return beta_binomial_tail(fc, rc, a, b)


def beta_binomial_tail(k: ArrayLike, n: ArrayLike, a: ArrayLike, b: ArrayLike) -> Array:
    """P(X ≥ k) for X ~ BetaBinomial(n, a, b), by summing the shorter side of the distribution."""
    arrays = np.broadcast_arrays(*(np.asarray(values, dtype=float) for values in (k, n, a, b)))
    k, n, a, b = (values.ravel() for values in arrays)
    tail = np.where(k <= 0, 1.0, 0.0)
    open_ = (k > 0) & (k <= n)
    upper = open_ & (2 * k > n)
    lower = open_ & ~upper
    # X ≥ k failures are n − X ≤ n − k passes: the upper side is the lower side with the roles exchanged.
    tail[upper] = _cumulated(n[upper] - k[upper], n[upper], b[upper], a[upper])
    tail[lower] = 1.0 - _cumulated(k[lower] - 1, n[lower], a[lower], b[lower])
    return np.clip(tail, 0.0, 1.0).reshape(arrays[0].shape)


def _cumulated(last: Array, n: Array, a: Array, b: Array) -> Array:
    """P(X ≤ last): the probability of 0, then each further term by its ratio to the one before."""
    from scipy.special import betaln  # pyright: ignore[reportMissingTypeStubs]

    term: Array = np.exp(betaln(a, n + b) - betaln(a, b))
    total = term.copy()
    going = np.flatnonzero(last > 0)
    x = 0.0
    while going.size:
        size, first, second = n[going], a[going], b[going]
        term[going] *= (size - x) * (x + first) / ((x + 1) * (size - x - 1 + second))
        total[going] += term[going]
        x += 1
        going = going[last[going] > x]
    return total
