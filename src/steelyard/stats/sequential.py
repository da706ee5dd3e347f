"""Tests that stay valid if results are inspected after every round (anytime-valid e-processes).

An e-value is evidence against a null hypothesis whose expectation under that null is at most 1 at any stopping time, so
P(e ever ≥ 1/α) ≤ α. Reject at e ≥ 1/α; m hypotheses at once: e ≥ m/α.

t e-process, for the mean θ of n observations with t statistic t, ν = n − 1 and prior scale g:

    e⁺ = 2·F_{t,df=n}( n√g·t / √((1+ng)ν + t²) ) · (1+ng)^{−1/2} · [ (1 + t²/ν) / (1 + t²/(ν(1+ng))) ]^{n/2}

against θ ≤ 0; e⁻ is the same with −t, against θ ≥ 0. Shifted by a margin m (observations d + m), e⁺ is evidence
for θ > −m.

Observations that share an error of variance w (a stored baseline, a drift) know less about θ: with s the spread,

    t = x̄/√(s²/n + w), and ng becomes g·s²/(s²/n + w), so that evidence is bounded however many observations there are

2×2 e-process, for pass rates; a block is one baseline and one candidate outcome y_b, y_c:

    factor = p_b^{y_b}(1−p_b)^{1−y_b} · p_c^{y_c}(1−p_c)^{1−y_c} / (p_0^{y_b+y_c}(1−p_0)^{2−y_b−y_c})

with p_0 = (p_b + p_c)/2, mixed with equal weights over p_b ∈ {.99, .9, .75}, p_c ∈ {.02, .25, .5, .75}, p_c < p_b − .1.

Missing data: with fewer than two observations, or if all are equal, the spread is unknown, so the e-value is 1. Every
function takes arrays; observations run along the last axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steelyard.stats.paired import Array

SCALE = 1.0
"""Prior scale g of the t e-process: effects of about one standard deviation of a round mean."""

_PASS_RATES = [(b, c) for b in (0.99, 0.9, 0.75) for c in (0.02, 0.25, 0.5, 0.75) if c < b - 0.1]
"""The alternatives (baseline, candidate) that the 2×2 e-process mixes."""

SPREAD_FLOOR = 1e-9
"""A standard deviation below this is rounding error."""


class EValues(NamedTuple):
    """Evidence for a gain and for a loss; arrays when the observations were."""

    gain: Array
    """e⁺, against "the mean is at most 0"."""
    loss: Array
    """e⁻, against "the mean is at least 0"."""


def t_evidence(n: ArrayLike, t: ArrayLike, scale: float = SCALE) -> EValues:
    """The t e-values of a t statistic over n observations; 1 if there are fewer than two."""
    size, statistic = np.asarray(n, dtype=float), np.asarray(t, dtype=float)
    return EValues(_t_e(size, statistic, size * scale), _t_e(size, -statistic, size * scale))


def mean_evidence(
    observations: ArrayLike, margin: float = 0.0, scale: float = SCALE, shared: ArrayLike = 0.0
) -> EValues:
    """The t e-values of observations + margin, after the last one; `shared`: variance of an error in all of them."""
    values = np.asarray(observations, dtype=float) + margin
    n, t = t_statistic(values)
    spread = values.var(axis=-1, ddof=1) if values.shape[-1] > 1 else np.zeros(values.shape[:-1])
    # Without a shared error this is 1; where nothing varies, t and the e-value say nothing anyway.
    kept = np.where(n > 1, spread / np.where(n > 1, spread + n * np.asarray(shared), 1.0), 1.0)
    t, information = t * np.sqrt(kept), n * scale * kept
    return EValues(_t_e(n, t, information), _t_e(n, -t, information))


def evidence_path(
    observations: Sequence[float], margin: float = 0.0, scale: float = SCALE, shared: float = 0.0
) -> list[EValues]:
    """The e-values after each observation: what inspecting the results after every round would have shown."""
    values = np.asarray(observations, dtype=float)
    return [mean_evidence(values[: count + 1], margin, scale, shared) for count in range(len(values))]


def t_statistic(values: Array) -> tuple[Array, Array]:
    """(n, t) along the last axis; t is 0 if it cannot be estimated, which makes the e-value at most 1."""
    n = values.shape[-1]
    if n < 2:
        return np.full(values.shape[:-1], float(n)), np.zeros(values.shape[:-1])
    mean, sd = values.mean(axis=-1), values.std(axis=-1, ddof=1)
    estimable = sd > SPREAD_FLOOR
    t = np.where(estimable, mean / np.where(estimable, sd, 1.0) * np.sqrt(n), 0.0)
    # n = 1 where nothing varies: the e-value is then 1 and not below it.
    return np.where(estimable, float(n), 1.0), t


@lru_cache(maxsize=1024)
def needed_t(n: int, level: float, scale: float = SCALE) -> float:
    """The t statistic at which e⁺ over n observations reaches `level`; infinite when no t does."""
    low, high = 0.0, 1e6
    # e⁺ is bounded in t, so that few observations may never reach the level.
    if n < 2 or float(t_evidence(n, high, scale).gain) < level:
        return math.inf
    for _ in range(200):  # e⁺ grows with t, so halving finds it
        middle = (low + high) / 2
        low, high = (low, middle) if float(t_evidence(n, middle, scale).gain) >= level else (middle, high)
    return high


def chance_left(
    observations: ArrayLike, last: int, level: float, scale: float = SCALE, *, at_trend: bool = False
) -> Array:
    """The chance that e⁺ reaches `level` by observation `last`, given those seen so far.

    Normal approximation: the final mean given n of N observations with mean x̄ and spread s is N(x̄, s²·(1/n − 1/N));
    `at_trend`, as if x̄ were the true mean, N(x̄, s²·(N − n)/N²), which gives up sooner. 1 where nothing can be
    estimated yet, 0 after the last observation.
    """
    # scipy is slow to import, and most commands never get here.
    from scipy.special import ndtr

    values = np.asarray(observations, dtype=float)
    n = values.shape[-1]
    if n >= last:
        return np.zeros(values.shape[:-1])
    if n < 2:
        return np.ones(values.shape[:-1])
    mean, sd = values.mean(axis=-1), values.std(axis=-1, ddof=1)
    estimable = sd > SPREAD_FLOOR
    unit = np.where(estimable, sd, 1.0)
    target = needed_t(last, level, scale) * unit / math.sqrt(last)
    ahead = math.sqrt(last - n) / last if at_trend else math.sqrt(1 / n - 1 / last)
    # Unknown is not hopeless: a run must not be given up before its spread is seen.
    return np.where(estimable, ndtr((mean - target) / (unit * ahead)), 1.0)


def pass_rate_evidence(baseline: ArrayLike, candidate: ArrayLike) -> Array:
    """The 2×2 e-value that the candidate passes less often, after the last block; outcomes are 0 or 1."""
    before, after = np.asarray(baseline, dtype=float), np.asarray(candidate, dtype=float)
    logs = [_block_logs(before, after, b, c).sum(axis=-1) for b, c in _PASS_RATES]
    # A mean of e-values is an e-value, a maximum is not.
    return np.exp(np.stack(logs)).mean(axis=0)


def _block_logs(before: Array, after: Array, b: float, c: float) -> Array:
    middle = (b + c) / 2
    own: Array = np.where(before > 0, math.log(b), math.log1p(-b)) + np.where(after > 0, math.log(c), math.log1p(-c))
    passes = before + after
    return own - passes * math.log(middle) - (2 - passes) * math.log1p(-middle)


def _t_e(n: Array, t: Array, information: Array) -> Array:
    """e⁺; `information` is n·g, the prior variance of the mean over that of its estimate."""
    from scipy.special import stdtr

    known = n >= 2
    n = np.where(known, n, 2.0)
    nu, spread = n - 1, 1 + information
    one_sided = 2 * stdtr(n, np.sqrt(n * information) * t / np.sqrt(spread * nu + t * t))
    # In logarithms: (1 + t²/ν)^{n/2} overflows for large suites.
    growth = n / 2 * (np.log1p(t * t / nu) - np.log1p(t * t / (nu * spread))) - np.log(spread) / 2
    # exp overflows above 709, and e⁷⁰⁰ decides as infinity would.
    return np.where(known, one_sided * np.exp(np.minimum(growth, 700.0)), 1.0)
