"""Vectors: docs/scoring.md and the published formulas, computed with numpy and scipy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats import interval
from steelyard.stats.interval import Interval


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (35, 50, 0.5625, 0.8090),
        (20, 28, 0.5294, 0.8475),
        (28, 40, 0.5457, 0.8193),
        (2, 40, 0.0138, 0.1650),
        (50, 50, 0.9287, 1.0),
        (0, 50, 0.0, 1 - 0.9287),  # the mirror of 50/50
    ],
)
def test_wilson_vectors(k: int, n: int, low: float, high: float) -> None:
    found = interval.wilson(k, n)
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_wilson_agrees_with_scipy() -> None:
    from scipy.stats import binomtest

    for k in range(0, 41, 5):
        oracle = binomtest(k, 40).proportion_ci(method="wilson")
        found = interval.wilson(k, 40)
        assert (found.low, found.high) == (pytest.approx(oracle.low, abs=1e-12), pytest.approx(oracle.high, abs=1e-12))


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_its_estimate_and_never_has_zero_width(case: tuple[int, int]) -> None:
    found = interval.wilson(*case)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.high > found.low and found.se > 0


@pytest.mark.parametrize(("k", "n"), [(1, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_proportion(k: int, n: int) -> None:
    with pytest.raises(ValueError):
        interval.wilson(k, n)


def test_t_interval_vector() -> None:
    # mean .021, sd .01792, SE .005667, 95% .008181….033819
    found = interval.t_interval([0.02, 0.03, -0.01, 0.05, 0, 0.02, 0.04, 0.01, 0.03, 0.02])
    assert found is not None
    assert found.se == pytest.approx(0.005667, abs=5e-7)
    assert (found.low, found.high) == (pytest.approx(0.008181, abs=5e-7), pytest.approx(0.033819, abs=5e-7))


@pytest.mark.parametrize("values", [[], [0.4], [0.1, 0.1, 0.1]])
def test_t_is_not_estimable_without_spread(values: list[float]) -> None:
    assert interval.t_interval(values) is None


def test_mean_interval_picks_its_method() -> None:
    assert _method([0, 1, 1]) == "wilson"
    assert _method([0.2, 0.9, 0.5]) == "t"
    assert _method([0.5, 0.5, 0.5]) == "wilson"  # no spread seen: the widest honest answer
    assert interval.mean_interval([]) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_mean_interval_stays_inside_and_around(values: list[float]) -> None:
    found = interval.mean_interval(values)
    assert found is not None
    assert 0 <= found.low <= found.estimate + 1e-9
    assert found.estimate - 1e-9 <= found.high <= 1


@pytest.mark.parametrize(("runs", "low", "high"), [(2, 0.45, 31.9), (3, 0.52, 6.3), (5, 0.60, 2.9), (10, 0.69, 1.8)])
def test_spread_over_few_runs(runs: int, low: float, high: float) -> None:
    found = interval.sd_interval(1.0, runs)
    assert found is not None
    assert found[0] == pytest.approx(low, abs=0.005)
    assert found[1] == pytest.approx(high, abs=0.05)


def test_one_run_has_no_spread() -> None:
    assert interval.sd_interval(0.3, 1) is None


def test_overall_by_propagation() -> None:
    # .7 everywhere, architecture sd .2: SE .0348, ±6.8 points
    rubric = Interval(0.7, 0, 0, 0.2 / math.sqrt(28), "t", 28)
    parts = [(0.34, interval.wilson(35, 50)), (0.33, rubric), (0.33, interval.wilson(28, 40))]
    found = interval.propagate(parts)
    assert found.estimate == pytest.approx(0.7)
    assert found.se == pytest.approx(0.0348, abs=5e-5)
    assert (found.high - found.low) / 2 == pytest.approx(0.068, abs=5e-4)


def test_overall_of_a_perfect_row_still_has_a_width() -> None:
    parts = [(0.5, interval.wilson(50, 50)), (0.5, interval.wilson(40, 40))]
    assert interval.propagate(parts).se > 0.01


def _method(values: list[float]) -> str:
    found = interval.mean_interval(values)
    assert found is not None
    return found.method
