"""Rounding many numbers gives each the value that `round` gives it."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.outcome import exact
from steelyard.stats.rounding import exact_all, rounded_all

halves = st.integers(-(10**12), 10**12).map(lambda number: (number + 0.5) / 1e6)
beside = st.builds(lambda half, up: math.nextafter(half, math.inf if up else -math.inf), halves, st.booleans())
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1, 1) | halves | beside


@given(st.lists(numbers))
def test_each_number_is_rounded_as_round_does_it(values: list[float]) -> None:
    one_by_one = [round(value, 6) for value in values]
    together = rounded_all(np.array(values, dtype=float)).tolist()
    assert list(map(repr, together)) == list(map(repr, one_by_one))


@given(st.lists(numbers))
def test_numbers_enter_a_comparison_alike(values: list[float]) -> None:
    assert list(map(repr, exact_all(np.array(values, dtype=float)).tolist())) == [
        repr(exact(value)) for value in values
    ]


def test_what_is_no_number_stays_as_it_is() -> None:
    rounded = rounded_all(np.array([math.nan, math.inf, -math.inf])).tolist()
    assert math.isnan(rounded[0]) and rounded[1:] == [math.inf, -math.inf]
