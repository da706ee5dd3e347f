from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.multiple import benjamini_hochberg, holm

P = [0.001, 0.008, 0.012, 0.021, 0.03, 0.04, 0.2, 0.5]


def test_holm_vector() -> None:
    assert holm(P) == pytest.approx([0.008, 0.056, 0.072, 0.105, 0.12, 0.12, 0.4, 0.5])


def test_benjamini_hochberg_vector() -> None:
    expected = [0.008, 0.032, 0.032, 0.042, 0.048, 0.0533, 0.2286, 0.5]
    assert benjamini_hochberg(P) == pytest.approx(expected, abs=5e-5)


def test_benjamini_hochberg_agrees_with_scipy() -> None:
    from scipy.stats import false_discovery_control

    assert benjamini_hochberg(P[::-1]) == pytest.approx(list(false_discovery_control(P[::-1])))


def test_what_was_not_compared_takes_no_part() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, 0.04, None, 0.04]
    assert holm([]) == [] and benjamini_hochberg([None]) == [None]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusting_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p_values)
        pairs = sorted((p, q) for p, q in zip(p_values, adjusted, strict=True) if q is not None)
        assert all(q >= p - 1e-12 and q <= 1 for p, q in pairs)
        assert all(one[1] <= two[1] + 1e-12 for one, two in pairwise(pairs) if one[0] < two[0])
