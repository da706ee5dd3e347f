"""A run has a number, or it has none and a reason (docs/scoring.md §0)."""

from __future__ import annotations

import math

import pytest

from steelyard.outcome import Scored, exact


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        Scored(value)


def test_comparisons_are_made_on_six_decimals() -> None:
    # 0.77 - 0.72 is 0.050000000000000044 in floats, and 0.77 is within ±0.05 of 0.72 (docs/scoring.md §0).
    assert 0.77 - 0.72 > 0.05
    assert exact(0.77 - 0.72) <= exact(0.05)


def test_no_negative_zero() -> None:
    assert math.copysign(1, exact(-0.0000001)) == 1
