"""Alpha wealth over a stream of tests (LORD++; Ramdas et al. 2017): the level of the next test. Pure.

    α_t = γ_t·w + (α − w)·γ_{t−τ₁} + α·Σ_{j≥2} γ_{t−τ_j},   w = α/2,  γ_j ∝ log(max(j, 2)) / (j·e^{√log j}),  Σ γ = 1

τ_j is the number of the j-th test that was won. Each win earns wealth for later tests; without one the levels shrink,
so that the expected share of false wins among all wins stays below α however many tests are made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

_TERMS = 100_000
"""Terms of γ that are normalised: what follows is less than 1% of the whole."""


def level(test: int, wins: Sequence[int], alpha: float) -> float:
    """The level of test number `test` (1, 2, …) after the tests `wins` were won."""
    start = alpha / 2
    earned = [test - number for number in sorted(wins) if number < test]
    total = _gamma(test) * start
    for place, distance in enumerate(earned):
        # The first win earns less: the wealth at the start was an advance on it.
        total += _gamma(distance) * (alpha - start if place == 0 else alpha)
    return total


@cache
def _whole() -> float:
    return math.fsum(_raw(term) for term in range(1, _TERMS + 1))


def _gamma(term: int) -> float:
    return _raw(term) / _whole()


def _raw(term: int) -> float:
    return math.log(max(term, 2)) / (term * math.exp(math.sqrt(math.log(term))))
