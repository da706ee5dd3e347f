"""What pairs of halves show about each part (docs/scoring.md §3.7). Pure; every function takes leading axes.

Pair i of weight w has the scores y₁, y₂ in [0, 1] and the signs s_ij = ±1 (+1: the first run has part j). With b the
estimates of the looks before, those not clearly different from 0 set to 0, the contrast of part j is

    c_ij = s_ij·(w·(y₁ − y₂) − Σ_{k≠j} s_ik·b_k)

Its mean is the effect of j, since s_ij is a coin that no other term knows; taking out what others are known to do only
makes it quieter. Three e-values, each valid at any look:

    harms, helps   t e-process on c, prior scale g = 2·margin², (e⁺ + e⁻)/2 ≥ parts/α
    above −margin  Π (1 + λ·(margin + c)) ≥ 1/α,   below +margin: Π (1 + λ·(margin − c)) ≥ 1/α

λ = 0.55·margin/s² is about half of the bet that grows fastest if the effect is 0, because the part that lags decides
when all are answered; it comes from the looks before and never risks more than 0.9 of what is left. `no effect` when
both bounds were shown, each at a look of its own. An answer that was reached stays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.blame.design import HEAVIEST
from steelyard.stats.paired import Array
from steelyard.stats.sequential import SPREAD_FLOOR, t_evidence

_BET = 0.55
_RISK = 0.9
_FIRST_VARIANCE = 0.25
"""Of a contrast, before any is seen."""
_LEAST_VARIANCE = 0.02
_CLEAR = 3.0
"""Standard errors from 0 beyond which an estimate is taken out of the contrasts of other parts."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What the pairs so far say; arrays over parts."""

    margin: float
    alpha: float
    pairs: int
    total: Array
    squares: Array
    """Σc and Σc²."""
    above: Array
    below: Array
    """Logarithms of the two bets on a bound."""
    e: Array
    """The e-value against "no effect at all", at the latest look."""
    direction: NDArray[np.int8]
    """+1 helps, −1 harms, 0 neither is shown."""
    bounded: NDArray[np.bool_]
    """[…, 0] shown to be above −margin, […, 1] below +margin."""

    @property
    def mean(self) -> Array:
        """The mean contrast."""
        return self.total / max(self.pairs, 1)

    @property
    def variance(self) -> Array:
        """Of one contrast."""
        if self.pairs < 2:
            return np.full_like(self.total, _FIRST_VARIANCE)
        spread = np.maximum(self.squares / self.pairs - self.mean**2, 0.0)
        return spread * self.pairs / (self.pairs - 1)

    @property
    def error(self) -> Array:
        """Standard error of the mean contrast."""
        return np.sqrt(self.variance / max(self.pairs, 1))

    @property
    def known(self) -> Array:
        """Estimates that are taken out of the contrasts of other parts: clear ones, drawn towards 0."""
        square = np.maximum(self.mean**2, SPREAD_FLOOR)
        return self.mean * np.maximum(0.0, 1 - _CLEAR**2 * self.error**2 / square)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which parts have an answer."""
        return (self.direction != 0) | self.bounded.all(axis=-1)


def start(shape: tuple[int, ...], margin: float, alpha: float = 0.05) -> Tally:
    """Before the first pair; the last axis of `shape` is parts."""
    zero = np.zeros(shape)
    return Tally(
        margin, alpha, 0, zero, zero, zero, zero, np.ones(shape), zero.astype(np.int8), np.zeros((*shape, 2), bool)
    )


def advance(so_far: Tally, signs: Array, differences: Array) -> Tally:
    """The standing after a look at more pairs: signs […, pairs, parts], weighted differences […, pairs]."""
    known, margin = so_far.known, so_far.margin
    others = (signs * known[..., None, :]).sum(axis=-1, keepdims=True)
    # `others` includes the part itself; since s² = 1, adding its estimate puts back what was taken.
    contrasts = signs * (differences[..., None] - others) + known[..., None, :]
    # No contrast is larger, so a bet loses at most _RISK of what is left and the logarithm stays finite.
    largest = HEAVIEST + np.abs(known).sum(axis=-1, keepdims=True) + margin
    # By the variance of the looks before: a stake that knows this look's outcome would be no bet.
    bet = np.minimum(_BET * margin / np.maximum(so_far.variance, _LEAST_VARIANCE), _RISK / largest)[..., None, :]
    return _looked(
        replace(
            so_far,
            pairs=so_far.pairs + signs.shape[-2],
            total=so_far.total + contrasts.sum(axis=-2),
            squares=so_far.squares + (contrasts**2).sum(axis=-2),
            above=so_far.above + np.log1p(bet * (margin + contrasts)).sum(axis=-2),
            below=so_far.below + np.log1p(bet * (margin - contrasts)).sum(axis=-2),
        )
    )


def _looked(standing: Tally) -> Tally:
    """With the answers that this look allows."""
    error, parts = standing.error, standing.total.shape[-1]
    # Where nothing varies the spread is unknown: it counts as small, and coins that agree n times as 2ⁿ⁻¹ at most.
    t = standing.mean / np.maximum(error, math.sqrt(_LEAST_VARIANCE / standing.pairs))
    values = t_evidence(np.full(t.shape, float(standing.pairs)), t, scale=2 * standing.margin**2)
    e = np.minimum((values.gain + values.loss) / 2, 2.0 ** min(standing.pairs - 1, 1000))
    shown = (e >= parts / standing.alpha) & (standing.direction == 0)
    bounds = np.stack([standing.above, standing.below], axis=-1) >= math.log(1 / standing.alpha)
    direction = np.where(shown, np.sign(standing.mean), standing.direction).astype(np.int8)
    return replace(standing, e=e, direction=direction, bounded=standing.bounded | bounds)


def runs_for(margin: float) -> int:
    """About how many runs it takes to answer every part at a margin: 120 + 9/margin², in whole looks."""
    return 40 * math.ceil((120 + 9 / margin**2) / 40)


def margin_for(runs: int) -> float:
    """The margin that so many runs can show: √(9/(runs − 120))."""
    return math.sqrt(9 / (runs - 120))
