"""Many numbers rounded in one pass, each to the very value that `round` gives it.

A number that is not beside a half goes to the nearest whole millionth, and dividing that by a million gives the double
nearest to it, as `round` does. The few beside a half, and those too large for whole millionths, are left to `round`.
"""

from __future__ import annotations

import numpy as np

from steelyard.outcome import DECIMALS
from steelyard.stats.paired import Array

_SCALE = 10.0**DECIMALS
_BESIDE = 1e-6
"""More than the error of a product below `_LARGE`."""
_LARGE = 1e9


def rounded_all(values: Array) -> Array:
    """`round(value, 6)` of each; NaN stays NaN."""
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is left to `round`
        scaled = values * _SCALE
        rounded = np.rint(scaled) / _SCALE
        doubtful = (np.abs(scaled - np.floor(scaled) - 0.5) < _BESIDE) | ~(np.abs(scaled) < _LARGE)
    for place in np.flatnonzero(doubtful):
        rounded[place] = round(float(values[place]), DECIMALS)
    return rounded


def exact_all(values: Array) -> Array:
    """`outcome.exact` of each."""
    # Adding 0.0 turns negative zero into zero.
    return rounded_all(values) + 0.0
