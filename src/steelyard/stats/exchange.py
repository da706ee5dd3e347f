"""Whether runs of one unit are lower on one side, by letting its runs change sides; other units lend nothing.

R runs on each side with means x̄ and ȳ, D = ȳ − x̄, and SS the sum of squares around the mean of all N = 2R runs:

    r² = R·D²/(2·SS),   t = sign(D)·√(r²(N−2)/(1−r²)),   p = F_t(t), N − 2 df

which is the exchange of runs between the sides by its moments. No p is below the share of exchanges that give the
lowest D of all: C(m, j)/C(N, R) where m runs have the value at the middle and j of them are on the low side. That share
is what the unit could show at best; a unit that cannot reach a p takes no part in the correction for many units
(Tarone): K(p) counts those that can, and K(p_i)·p_i is the expected number that look as bad by chance.

With one side only as differences d (a stored baseline of error v): t = d̄/√(s²/R + v), R − 1 df, and no p is below
2^{−R}, the share of signs. All runs equal: p = 1. Runs are along the last axis, units along the one before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steelyard.stats.paired import Array

_SPREAD_FLOOR = 1e-9
"""A standard deviation below this is rounding error."""


class Exchanged(NamedTuple):
    """The probability of a mean as low by chance, and the least that the unit could show."""

    p: Array
    least: Array


def lower_by_chance(before: ArrayLike, after: ArrayLike) -> Exchanged:
    """Of each unit: p that `after` is as low compared with `before`, as many runs on each side."""
    # scipy is slow to import, and most commands never get here.
    from scipy.special import gammaln, stdtr

    one, other = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    runs = one.shape[-1]
    values = np.sort(np.concatenate([one, other], axis=-1), axis=-1)
    squares = values.var(axis=-1) * 2 * runs
    known = squares > _SPREAD_FLOOR**2
    drop = other.mean(axis=-1) - one.mean(axis=-1)
    # Rounding can lift r² above 1, where the root below is NaN.
    share = np.where(known, np.minimum(runs * drop**2 / 2 / np.where(known, squares, 1.0), 1.0), 0.0)
    # Two sides that are each constant have r² = 1: t is infinite, and only `least` bounds p.
    with np.errstate(divide="ignore"):
        t = np.sign(drop) * np.sqrt(share * (2 * runs - 2) / (1 - share))
    middle = values[..., runs - 1 : runs]
    ties = np.abs(values - middle) <= _SPREAD_FLOOR
    many, low = ties.sum(axis=-1), ties[..., :runs].sum(axis=-1)
    ways = gammaln(many + 1) - gammaln(low + 1) - gammaln(many - low + 1)
    every = gammaln(2 * runs + 1) - 2 * gammaln(runs + 1)
    least: Array = np.where(known, np.exp(ways - every), 1.0)
    return Exchanged(np.where(known, np.maximum(stdtr(2 * runs - 2, t), least), 1.0), least)


def lower_by_sign(differences: ArrayLike, error: ArrayLike = 0.0) -> Exchanged:
    """Of each unit: p that differences from a fixed value, itself known with variance `error`, are as low."""
    from scipy.special import stdtr

    values = np.asarray(differences, dtype=float)
    runs = values.shape[-1]
    mean, variance = values.mean(axis=-1), values.var(axis=-1, ddof=1) / runs + np.asarray(error)
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0/0 where nothing moved would be NaN; a mean of 0 speaks for neither direction.
        t = np.where(mean == 0, 0.0, mean / np.sqrt(variance))
    # A difference of 0 has no sign to turn, so it adds no exchange.
    least = 0.5 ** np.count_nonzero(np.abs(values) > _SPREAD_FLOOR, axis=-1).astype(float)
    return Exchanged(np.maximum(stdtr(runs - 1, t), least), least)


def expected_as_low(found: Exchanged) -> Array:
    """K(p)·p: how many units are expected to look as bad as each by chance, among those that can."""
    p, least = found.p.reshape(-1, found.p.shape[-1]), found.least.reshape(-1, found.p.shape[-1])
    # Rounding must not push a unit out of those that can reach its own p.
    able = [np.searchsorted(np.sort(low), own * (1 + 1e-9), side="right") for own, low in zip(p, least, strict=True)]
    return (np.stack(able) * p).reshape(found.p.shape)
