"""What rounds show about the mean delta per task (docs/scoring.md §3.5). Pure, on arrays.

D_r is the mean over tasks of candidate − baseline in round r. Three ways to show that its mean is above 0 (a gain),
below 0 (a loss) or above −margin (safe); c_q is the normal quantile:

`adaptive`, arms side by side: t e-values of D (`stats.sequential`).

    gain   e⁺ ≥ 1/α       loss   e⁻ ≥ 2/α       safe   e⁺ of D + margin ≥ 1/α

`adaptive` against a stored baseline: z = D̄/SE with SE² = Σ_t v_t/(R·T²) + shared, v_t the variance of a run of the task
(both sides, weighted by their runs), shared = Σ_t v_t/(n_t·T²) + δ² (the record's error and the allowance for drift).
B = z·√I, I = SE²(R_max)/SE²(R), is a Brownian motion that ends at I = 1, so a line that it crosses at any look with
probability 2·(1 − Φ(c)) is valid whatever the looks (R_max rounds; what ran after them does not move B):

    gain   B ≥ c_{1−α/4}       loss   −B ≥ c_{1−α/8}       safe   B of D + margin ≥ c_{1−α/4}

Fixed rounds: the lower end of 97.5% one-sided intervals is above 0 for a gain: across tasks (means of tasks, T − 1 df),
within them (spread over rounds, Welch df) and over round means (R − 1 df), because one bad round of one arm must not
become an improvement; up to 12 tasks an exact sign-flip test agrees. loss: the upper end at 98.75% within tasks is
below 0. safe: the first two lower ends are above −margin. One round has no spread within tasks, so it shows no gain;
the interval across tasks speaks for the rest. A stored baseline adds its shared variance to each.

All equal deltas say nothing about chance: nothing is decided from them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from steelyard.gate.evidence.observed import Flags, Observed
from steelyard.gate.evidence.policy import Policy
from steelyard.stats.paired import Array
from steelyard.stats.sequential import SPREAD_FLOOR, chance_left, mean_evidence

_SIGN_FLIP_TASKS = 12
"""Up to this many tasks the sign-flip test is exact and cheap; beyond it the t interval holds by itself."""


class Shown(NamedTuple):
    """What the mean delta is shown to be."""

    gain: Flags
    """Above 0."""
    loss: Flags
    """Below 0."""
    safe: Flags
    """Above −margin."""


class Chances(NamedTuple):
    """Of still showing each of these by the last round; 0 where no round may follow."""

    gain: Array
    loss: Array
    safe: Array
    safe_at_trend: Array
    """As if the mean seen so far were the true one: gives up sooner."""


class Means(NamedTuple):
    """What the round means show, the e-values after the last round, and what may still be shown."""

    shown: Shown
    gain: Array
    """e⁺ of the round means."""
    loss: Array
    """e⁻."""
    safe: Array
    """e⁺ of the round means + margin."""
    chances: Chances


def weigh_means(observed: Observed, policy: Policy) -> Means:
    """What the rounds seen so far show about the mean delta."""
    means = observed.deltas.mean(axis=-2)
    shared = 0.0 if observed.stored is None else observed.stored.shared
    own, shifted = mean_evidence(means, shared=shared), mean_evidence(means, policy.margin, shared=shared)
    if not policy.adaptive:
        nothing = np.zeros(means.shape[:-1])
        shown, chances = _by_intervals(observed, policy), Chances(nothing, nothing, nothing, nothing)
    elif observed.stored is not None:
        shown, chances = _by_boundary(observed, policy)
    else:
        needed, last = 1 / policy.alpha, policy.max_rounds
        # A check that is shown to be worse is a second way to regress, so a loss has half of a gain's error.
        shown = Shown(own.gain >= needed, own.loss >= 2 * needed, shifted.gain >= needed)
        chances = Chances(
            chance_left(means, last, needed),
            chance_left(-means, last, 2 * needed),
            chance_left(means + policy.margin, last, needed),
            chance_left(means + policy.margin, last, needed, at_trend=True),
        )
    return Means(shown, own.gain, own.loss, shifted.gain, chances)


class Boundary(NamedTuple):
    """The mean delta against a stored baseline, its error now and after the last round, and the two lines."""

    mean: Array
    error: Array
    final: Array
    gain: float
    loss: float

    @property
    def reach(self) -> Array:
        """How far from 0 the mean must be now to show a gain."""
        return self.gain * self.error**2 / self.final


def boundary(observed: Observed, policy: Policy) -> Boundary:
    """Where a comparison with a stored baseline stands."""
    # scipy is slow to import, and most commands never get here.
    from scipy.special import ndtri

    stored = observed.stored
    assert stored is not None
    # The error is spent at I = 1: a line for later rounds, however high, would add to it.
    observed = replace(observed, deltas=observed.deltas[..., : policy.max_rounds])
    within = _run_variance(observed).sum(axis=-1) / observed.tasks**2
    error, final = (np.sqrt(within / rounds + stored.shared) for rounds in (observed.rounds, policy.max_rounds))
    # A Brownian motion crosses a line at any look twice as often as at the end: c of α/4 errs in α/2.
    gain, loss = (float(ndtri(1 - policy.alpha / part)) for part in (4, 8))
    return Boundary(observed.deltas.mean(axis=(-2, -1)), error, final, gain, loss)


def _by_boundary(observed: Observed, policy: Policy) -> tuple[Shown, Chances]:
    from scipy.special import ndtr

    now = boundary(observed, policy)
    known = (now.error > SPREAD_FLOOR) & (observed.rounds > 1)
    # B = mean·final/error², so it crosses c where the mean crosses c·error²/final.
    scale = np.where(known, now.error**2 / np.where(known, now.final, 1.0), 1.0)
    sides = ((now.mean, now.gain), (-now.mean, now.loss), (now.mean + policy.margin, now.gain))
    shown = Shown(*(known & (value >= line * scale) for value, line in sides))
    if observed.rounds >= policy.max_rounds:
        nothing = np.zeros(now.mean.shape)
        return shown, Chances(nothing, nothing, nothing, nothing)
    # Given the mean now, the last one scatters around it with the variance error² − final².
    ahead = np.sqrt(np.maximum(now.error**2 - now.final**2, SPREAD_FLOOR**2))
    # From s²·(1/n − 1/N) to s²·(N − n)/N²: as if the mean so far were the true one.
    at_trend = ahead * math.sqrt(observed.rounds / policy.max_rounds)
    ends = [(*side, ahead) for side in sides] + [(*sides[-1], at_trend)]
    left = (ndtr((value - line * now.final) / error) for value, line, error in ends)
    return shown, Chances(*(np.where(known, chance, 1.0) for chance in left))


def _run_variance(observed: Observed) -> Array:
    """Variance of one run of each task: of the record, and of the candidate's rounds as far as there are several."""
    stored = observed.stored
    assert stored is not None
    if observed.rounds < 2:
        return stored.spread
    own, freedom = observed.deltas.var(axis=-1, ddof=1), observed.rounds - 1
    weight = np.maximum(stored.runs - 1, 0)
    return (weight * stored.spread + freedom * own) / (weight + freedom)


class Spread(NamedTuple):
    """A standard error of the mean delta, its degrees of freedom, and what it is called."""

    error: Array
    df: Array
    method: str


def spreads(observed: Observed) -> tuple[Spread, ...]:
    """The errors of the mean that can be estimated: across tasks, within them, over round means."""
    tasks, rounds = observed.tasks, observed.rounds
    shape = observed.deltas.shape[:-2]
    found: list[Spread] = []
    if tasks > 1:
        across = observed.deltas.mean(axis=-1).std(axis=-1, ddof=1) / math.sqrt(tasks)
        # The record's error differs from task to task, so the spread across them has it already; a drift is shared.
        drift = 0.0 if observed.stored is None else observed.stored.drift
        found.append(Spread(_joined(across, drift**2), np.full(shape, tasks - 1.0), "t interval across tasks"))
    if rounds > 1:
        shared = 0.0 if observed.stored is None else observed.stored.shared
        within, df = within_tasks(observed.deltas, shared)
        over = observed.deltas.mean(axis=-2).std(axis=-1, ddof=1) / math.sqrt(rounds)
        found.append(Spread(within, df, "t interval within tasks"))
        found.append(Spread(_joined(over, shared), np.full(shape, rounds - 1.0), "t interval over round means"))
    return tuple(found)


def _joined(error: Array, shared: Array | float) -> Array:
    """The error with what all rounds share; still 0 where nothing varies, because then nothing can be said."""
    return np.where(error > SPREAD_FLOOR, np.sqrt(error**2 + shared), 0.0)


def _by_intervals(observed: Observed, policy: Policy) -> Shown:
    """What the intervals of a fixed number of rounds show."""
    from scipy.special import stdtrit

    by_task = observed.deltas.mean(axis=-1)
    mean = by_task.mean(axis=-1)
    nothing = np.zeros(mean.shape, dtype=bool)
    if observed.tasks < 2:
        return Shown(nothing, nothing, nothing)
    found = spreads(observed)
    lows = [mean - stdtrit(spread.df, 1 - policy.alpha / 2) * spread.error for spread in found]
    # One round has no spread within tasks; the interval across tasks stands in.
    within = found[min(1, len(found) - 1)]
    high = mean + stdtrit(within.df, 1 - policy.alpha / 4) * within.error
    estimable = (found[0].error > SPREAD_FLOOR) & (within.error > SPREAD_FLOOR)
    gained = estimable & (np.min(lows, axis=0) > 0) if observed.rounds > 1 else nothing
    if observed.tasks <= _SIGN_FLIP_TASKS:
        # With five tasks the t interval alone called 3 to 4% of unchanged suites improved.
        gained = gained & (_sign_flips(by_task) <= policy.alpha / 2)
    return Shown(gained, estimable & (high < 0), estimable & (np.min(lows[:2], axis=0) > -policy.margin))


def within_tasks(deltas: Array, shared: Array | float = 0.0) -> tuple[Array, Array]:
    """The standard error of the mean within this suite, from the spread over rounds, and its Welch df."""
    tasks, rounds = deltas.shape[-2:]
    parts = deltas.var(axis=-1, ddof=1) / rounds / tasks**2
    own, squares = parts.sum(axis=-1), (parts**2).sum(axis=-1) / (rounds - 1)
    total = own + shared
    df = np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0), 1.0)
    return np.where(own > SPREAD_FLOOR**2, np.sqrt(total), 0.0), df


def _sign_flips(by_task: Array) -> Array:
    """The exact one-sided p of the mean under exchangeable arms: all 2^T signs of the task means."""
    signs: Array = np.array(list(product((1.0, -1.0), repeat=by_task.shape[-1])))
    sums: Array = by_task @ signs.T
    # Rounding must not leave out the signs that were observed.
    return np.mean(sums >= by_task.sum(axis=-1, keepdims=True) - 1e-12, axis=-1, dtype=float)
