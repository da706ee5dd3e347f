"""Student's t and the incomplete beta function against scipy's, which are the reference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from steelyard.stats.student import incomplete_beta, log_gamma, t_cdf, t_quantile_at

freedom = st.floats(1, 1e5)


@given(freedom, st.floats(0.05, 200), st.sampled_from([-1, 1]))
def test_the_distribution_is_that_of_scipy(df: float, t: float, sign: int) -> None:
    assert float(t_cdf(df, sign * t)) == pytest.approx(float(special.stdtr(df, sign * t)), rel=1e-9, abs=1e-300)


@given(st.floats(-1e3, 1e3))
def test_with_one_degree_of_freedom_it_is_that_of_cauchy(t: float) -> None:
    assert float(t_cdf(1, t)) == pytest.approx(0.5 + math.atan(t) / math.pi, rel=1e-12, abs=1e-15)


@given(freedom, st.floats(0.5, 0.9995))
def test_the_quantile_is_that_of_scipy(df: float, p: float) -> None:
    assert float(t_quantile_at(df, p)) == pytest.approx(float(special.stdtrit(df, p)), rel=1e-9, abs=1e-9)


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_the_binomial_tail_is_that_of_scipy(n: int, k: int) -> None:
    k = min(k, n // 2)
    ours, theirs = incomplete_beta(n - k, k + 1, 0.5), special.betainc(n - k, k + 1, 0.5)
    assert float(ours) == pytest.approx(float(theirs), rel=1e-9)


def test_whole_arrays_are_computed_as_their_values_are() -> None:
    df, t = np.array([1.0, 2.5, 49.0, 1e4]), np.array([-3.0, 0.0, 1.96, 40.0])
    assert t_cdf(df, t) == pytest.approx([float(t_cdf(*pair)) for pair in zip(df, t, strict=True)], rel=1e-13)
    assert log_gamma([[1.0, 5.0]]).tolist() == [[0.0, pytest.approx(np.log(24))]]
    assert np.isnan(t_cdf(5.0, np.nan)) and np.isnan(t_quantile_at(np.nan, 0.9))
