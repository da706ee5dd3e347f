from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.multiple import holm

P = [0.001, 0.008, 0.012, 0.021, 0.03, 0.04, 0.2, 0.5]


def test_holm_vector() -> None:
    assert holm(P) == pytest.approx([0.008, 0.056, 0.072, 0.105, 0.12, 0.12, 0.4, 0.5])


def test_what_was_not_compared_takes_no_part() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, 0.04, None, 0.04]
    assert holm([]) == [] and holm([None]) == [None]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusting_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    pairs = sorted((p, q) for p, q in zip(p_values, holm(p_values), strict=True) if q is not None)
    assert all(q >= p - 1e-12 and q <= 1 for p, q in pairs)
    assert all(one[1] <= two[1] + 1e-12 for one, two in pairwise(pairs) if one[0] < two[0])
