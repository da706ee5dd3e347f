"""How many items it takes to detect a difference.

n = (z_{1−α/2} + z_{1−β})²·variance / δ², with the variance of one paired difference.
MDE = (t_{.975} + t_{.80})·SE: the smallest true difference that 80% of such comparisons detect.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

from steelyard.stats.multiple import ALPHA

if TYPE_CHECKING:
    from steelyard.stats.paired import Array

POWER = 0.80
"""Share of comparisons that detect a true difference."""


def items_needed_all(deltas: Array, variances: Array) -> list[int | None]:
    """Items needed to detect a true difference with power `POWER`, if one paired difference has this variance.

    None where no number of items does.
    """
    import numpy as np

    from steelyard.stats.rounding import exact_all

    possible = (deltas != 0) & (variances > 0) & np.isfinite(variances)
    squares = np.where(possible, deltas, 1.0) ** 2
    needed = _reach() ** 2 * np.where(possible, variances, 0.0) / squares
    # Round first, so that 71.0000001 items become 71.
    whole = np.maximum(2.0, np.ceil(exact_all(needed))).tolist()
    return [int(count) if known else None for count, known in zip(whole, possible.tolist(), strict=True)]


@cache
def _reach() -> float:
    """z_{1−α/2} + z_{1−β}; a board asks for it once per pair."""
    normal = NormalDist()
    return normal.inv_cdf(1 - ALPHA / 2) + normal.inv_cdf(POWER)


def minimum_detectable(se: float, df: float) -> float:
    """The minimum detectable effect of a comparison with standard error `se` and `df` degrees of freedom."""
    return _t_reach(df) * se


@lru_cache(maxsize=4096)
def _t_reach(df: float) -> float:
    """t_{1−α/2} + t_{1−β}; every search for a number of rounds starts with the same degrees of freedom."""
    from scipy.special import stdtrit  # slow to import

    return float(stdtrit(df, 1 - ALPHA / 2) + stdtrit(df, POWER))


def rounds_needed(target: float, spread: float, *, most: int = 100_000) -> int | None:
    """The smallest n ≥ 2 with (t_{.975,n−1} + t_{.80,n−1})·spread/√n ≤ target; None when even `most` do not do."""
    if target <= 0 or not math.isfinite(spread):
        return None
    low, high = 2, most
    if minimum_detectable(spread / math.sqrt(high), high - 1) > target:
        return None
    while low < high:  # what can be detected shrinks as n grows
        middle = (low + high) // 2
        low, high = (
            (low, middle)
            if minimum_detectable(spread / math.sqrt(middle), middle - 1) <= target
            else (middle + 1, high)
        )
    return low
