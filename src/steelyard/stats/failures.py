"""Which checks fail more often than before, when every check has a failure rate of its own.

n checks over r rounds, with failures fb_i under the baseline and fc_i under the candidate. The prior of a failure rate
comes from the baseline's own checks, by moments:

    m = (Σ fb + .5)/(nr + 1),   v = sample variance of fb/r
    ρ = clip( max(v − m(1−m)/r, 0)·r/(r−1) / (m(1−m)), .02, .9 ),   s = 1/ρ − 1,   a = m·s,   b = (1−m)·s

and a check is as bad as it looks by chance alone with probability

    p_i = P( BetaBinomial(r_c, a + fb_i, b + r_b − fb_i) ≥ fc_i )

A Beta fits badly where a few checks are flaky and the others steady, so there is a second prior: weights w_g over a
grid of failure rates g, fitted to the failures of both sides together (EM, from equal weights). In it a broken check is
at first one of a flaky kind, and

    p_i = Σ_g w_g·P_g( F_c/r_c − F_b/r_b ≥ fc_i/r_c − fb_i/r_b ),   F_b ~ Bin(r_b, g), F_c ~ Bin(r_c, g)

The larger p_i counts. `suspect`: n·p_i < .05. `confirmed`: n·p_i·√looks < α/4, looks = R_max − R_min + 1 (1 for fixed
rounds). Extra rounds of one check enter its own r_b and r_c; the Beta prior uses full rounds only. Checks run along the
last axis.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steelyard.stats.paired import Array

_LEAST_CORRELATION, _MOST_CORRELATION = 0.02, 0.9
"""Bounds of ρ: checks are never assumed to be identical, nor to fail always or never."""


_GRID = np.array([0.001, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.999])
"""Failure rates that the second prior mixes: close enough that a rate between two of them is well described."""

_STEPS = 15
"""Steps of EM: the weights of kinds that differ settle in about ten."""


Counts: TypeAlias = tuple[Array, Array, Array, Array]
"""Failures and rounds of the baseline, failures and rounds of the candidate, per check."""


class FailurePrior(NamedTuple):
    """Beta(a, b), the distribution of failure rates among the baseline's checks."""

    a: Array
    b: Array


def failure_prior(failures: ArrayLike, rounds: float) -> FailurePrior:
    """The prior estimated from the baseline's own checks and their failures over `rounds` full rounds."""
    counts = np.asarray(failures, dtype=float)
    n = counts.shape[-1]
    # Half a failure in one more run keeps the mean off 0 and 1, where `excess / noise` and the prior are undefined.
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
    """p_i: the probability of at least `after` failures if nothing changed since `before`. Counts are whole numbers."""
    fb, rb, fc, rc = np.broadcast_arrays(
        *(np.asarray(x, dtype=np.intp) for x in (before, rounds_before, after, rounds_after))
    )
    a, b = np.asarray(prior.a)[..., None], np.asarray(prior.b)[..., None]
    # Counts are small whole numbers, so the gamma functions of all checks come from one short table per prior.
    most = int((rb + rc).max(initial=0))
    rising_a, rising_b, rising_sum = (_log_rising(first, most) for first in (a, b, a + b))
    passes = rb - fb
    from_sum = _at(rising_sum, rb) - _at(rising_sum, rb + rc)
    log_none = _at(rising_b, passes + rc) - _at(rising_b, passes) + from_sum
    log_all = _at(rising_a, fb + rc) - _at(rising_a, fb) + from_sum
    return _tail(fc, rc, a + fb, b + passes, log_none, log_all)


def discounted(prior: FailurePrior, counts: Counts, drift: float) -> Counts:
    """The counts of a baseline that ran earlier, as fewer runs: so few that their rate is as unsure as one that may
    have shifted since by a standard deviation `drift`. Whole numbers; failures are rounded up: what failed may fail."""
    fb, rb, fc, rc = counts
    a, b = np.asarray(prior.a)[..., None], np.asarray(prior.b)[..., None]
    rate = (fb + a) / (rb + a + b)
    kept = 1 / (1 + rb * drift**2 / (rate * (1 - rate)))
    failed = np.ceil(fb * kept)
    return failed, np.maximum(np.floor(rb * kept), failed), fc, rc


def failure_mixture(before: Array, rounds_before: Array, after: Array, rounds_after: Array) -> Array:
    """The weights of the second prior, the same if the sides are exchanged; rates run along the last axis."""
    # Both sides together, so that one fit serves for drops and, with the arms exchanged, for rises.
    likelihood = _by_counts(_likelihood, before + after, rounds_before + rounds_after)
    weights = np.full((*before.shape[:-1], len(_GRID)), 1 / len(_GRID))
    for _ in range(_STEPS):
        totals = np.einsum("...ng,...g->...n", likelihood, weights)
        weights = weights * np.einsum("...ng,...n->...g", likelihood, 1 / totals) / before.shape[-1]
    return weights


def worse_in_mixture(weights: Array, before: Array, rounds_before: Array, after: Array, rounds_after: Array) -> Array:
    """p_i under the second prior; 1 for a check that does not fail more often than before."""
    counts = np.stack(np.broadcast_arrays(before, rounds_before, after, rounds_after)).astype(np.intp)
    # Cross-multiplied: whole numbers compare exactly, rates do not.
    risen = counts[2] * counts[1] > counts[0] * counts[3]
    result = np.ones(risen.shape)
    if risen.any():
        tuples, places = np.unique(counts[:, risen], axis=1, return_inverse=True)
        table = np.array([_rise(*map(int, one)) for one in tuples.T])
        rows = np.broadcast_to(weights[..., None, :], (*risen.shape, len(_GRID)))[risen]
        result[risen] = np.einsum("ng,ng->n", rows, table[places.reshape(-1)])
    return result


@lru_cache(maxsize=1 << 16)
def _rise(before: int, rounds_before: int, after: int, rounds_after: int) -> Array:
    """P_g(f_c/r_c − f_b/r_b at least as large) of each rate: the same counts occur again and again."""
    # scipy is slow to import, and most commands never get here.
    from scipy.special import betainc, gammaln

    x = np.arange(rounds_before + 1)[:, None]
    ways = gammaln(rounds_before + 1) - gammaln(x + 1) - gammaln(rounds_before - x + 1)
    chances = np.exp(ways + x * np.log(_GRID) + (rounds_before - x) * np.log1p(-_GRID))
    # Without the 1e-9 rounding could lift a whole number to the next one.
    least = np.ceil(after + rounds_after * (x - before) / max(rounds_before, 1) - 1e-9)
    # betainc is undefined outside; the two ends are set in the lines below.
    inside = np.clip(least, 1, rounds_after)
    # P(Bin(r, g) ≥ f) is the incomplete beta function I_g(f, r − f + 1).
    tail = np.where(least > rounds_after, 0.0, betainc(inside, rounds_after - inside + 1, _GRID))
    return np.asarray((chances * np.where(least <= 0, 1.0, tail)).sum(axis=0), dtype=np.float64)


def _likelihood(failed: Array, rounds: Array) -> Array:
    """Of each rate of the grid, relative to the likeliest."""
    logs = failed[:, None] * np.log(_GRID) + (rounds - failed)[:, None] * np.log1p(-_GRID)
    # Long records would underflow to 0, and EM divides by the mixture; the weights depend on ratios only.
    return np.exp(logs - logs.max(axis=-1, keepdims=True))


def _by_counts(function: Callable[[Array, Array], Array], failed: Array, rounds: Array) -> Array:
    """A function of (failures, rounds), computed once for each pair that occurs: counts are small whole numbers."""
    failed, rounds = np.broadcast_arrays(failed, rounds)
    width = int(rounds.max(initial=0)) + 1
    keys, places = np.unique((rounds * width + failed).astype(np.intp), return_inverse=True)
    table = function((keys % width).astype(float), (keys // width).astype(float))
    return table[places.reshape(failed.shape)]


def _log_rising(first: Array, most: int) -> Array:
    """log of first·(first+1)·…·(first+j−1), j = 0…most along the last axis."""
    logs = np.log(first + np.arange(most))
    return np.concatenate([np.zeros_like(first), np.cumsum(logs, axis=-1)], axis=-1)


def _at(table: Array, places: NDArray[np.intp]) -> Array:
    return np.take_along_axis(table, places.reshape(*table.shape[:-1], -1), axis=-1).reshape(places.shape)


def _tail(k: Array, n: Array, a: Array, b: Array, log_none: Array, log_all: Array) -> Array:
    """P(X ≥ k) by summing the shorter side, from the logarithms of P(X = 0) and P(X = n)."""
    shape = k.shape
    k, n, a, b = (np.asarray(values, dtype=float).ravel() for values in (k, n, a, b))
    tail = np.where(k <= 0, 1.0, 0.0)
    open_ = (k > 0) & (k <= n)
    upper = np.flatnonzero(open_ & (2 * k > n))
    lower = np.flatnonzero(open_ & (2 * k <= n))
    # X ≥ k failures are n − X ≤ n − k passes: the upper side is the lower side with the roles exchanged.
    tail[upper] = _cumulated(np.exp(log_all.ravel()[upper]), n[upper] - k[upper], n[upper], b[upper], a[upper])
    tail[lower] = 1.0 - _cumulated(np.exp(log_none.ravel()[lower]), k[lower] - 1, n[lower], a[lower], b[lower])
    return np.clip(tail, 0.0, 1.0).reshape(shape)


def _cumulated(term: Array, last: Array, n: Array, a: Array, b: Array) -> Array:
    """P(X ≤ last): the probability of 0, then each further term by its ratio to the one before."""
    # The longest sums come first, so that those still growing are a slice, which is far cheaper than a selection.
    order = np.argsort(-last.astype(np.int32), kind="stable")
    descending, term, n, a, b = -last[order], term[order], n[order], a[order], b[order]
    total = term.copy()
    growing = int(np.searchsorted(descending, 0.0))
    x = 0.0
    while growing:
        part = slice(0, growing)
        term[part] *= (n[part] - x) * (x + a[part]) / ((x + 1) * (n[part] - x - 1 + b[part]))
        total[part] += term[part]
        x += 1
        growing = int(np.searchsorted(descending[part], -x))
    result = np.empty_like(total)
    result[order] = total
    return result
