"""Student's t where its values are known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.stats.student import t_cdf, t_quantile_at


@pytest.mark.parametrize("t", [-40.0, -1.0, 0.0, 0.3, 1e3])
def test_with_one_degree_of_freedom_it_is_that_of_cauchy(t: float) -> None:
    assert float(t_cdf(1, t)) == pytest.approx(0.5 + math.atan(t) / math.pi, rel=1e-9)


def test_whole_arrays_and_what_is_missing() -> None:
    df = np.array([1.0, 2.0, np.nan])
    quantiles = t_quantile_at(df, 0.75)
    assert quantiles[:2] == pytest.approx([1.0, math.sqrt(2 / 3)]) and np.isnan(quantiles[2])
    assert np.isnan(t_cdf(5.0, np.nan))
