"""Checks that fail more often than before: the published vector, and the tail against scipy's own distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.failures import FailurePrior, failure_prior, worse_by_chance

BEFORE = [0, 0, 1, 0, 0, 0, 2, 0]
AFTER = [0, 5, 1, 0, 1, 0, 2, 0]


def test_the_published_vector() -> None:
    prior = failure_prior(BEFORE, 5)
    assert (float(prior.a), float(prior.b)) == pytest.approx((0.731559, 7.838131), abs=1e-6)
    chances = worse_by_chance(prior, BEFORE, 5, AFTER, 5)
    assert chances == pytest.approx([1, 0.0000681731, 0.448473, 1, 0.215528, 1, 0.275196, 1], abs=1e-6)


def test_a_batch_is_its_rows() -> None:
    rng = np.random.default_rng(5)
    before, after = rng.integers(0, 3, (6, 10)), rng.integers(0, 5, (6, 10))
    together = worse_by_chance(failure_prior(before, 4), before, 4, after, 4)
    for row in range(6):
        alone = worse_by_chance(failure_prior(before[row], 4), before[row], 4, after[row], 4)
        assert together[row] == pytest.approx(alone)


@pytest.mark.parametrize(("counts", "rounds"), [([0], 5), ([0, 0], 1), ([1], 1)])
def test_one_check_or_one_round_takes_the_widest_prior(counts: list[int], rounds: int) -> None:
    prior = failure_prior(counts, rounds)
    # rho = .9, so s = a + b = 1/.9 - 1.
    assert float(prior.a + prior.b) == pytest.approx(1 / 0.9 - 1)


def test_own_rounds_of_a_watched_check_enter_its_own_chance() -> None:
    prior = FailurePrior(np.array(0.5), np.array(4.5))
    chances = worse_by_chance(prior, [0, 0], [5, 11], [3, 9], [5, 11])
    assert chances[1] < chances[0]


@pytest.mark.parametrize("rate", [0.3, 0.6, 0.9, 0.99])
def test_a_change_that_does_nothing_is_rarely_confirmed(rate: float) -> None:
    # 80 checks, 5 rounds, 2,000 suites: n·p < alpha/4 with alpha = .05 must happen in at most 1.25% of them;
    # the standard error of that share is 0.25%, so 2% is three of them away.
    rng = np.random.default_rng(13)
    before, after = rng.binomial(5, 1 - rate, (2000, 80)), rng.binomial(5, 1 - rate, (2000, 80))
    chances = worse_by_chance(failure_prior(before, 5), before, 5, after, 5)
    assert (80 * chances.min(axis=1) < 0.05 / 4).mean() <= 0.02


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=8),
    st.floats(0.01, 5),
    st.floats(0.01, 20),
)
def test_the_chances_are_those_of_scipy(counts: list[tuple[int, int]], a: float, b: float) -> None:
    from scipy.stats import betabinom

    before, after = np.array(counts).T
    chances = worse_by_chance(FailurePrior(np.array(a), np.array(b)), before, 12, after, 12)
    expected = betabinom(12, a + before, b + 12 - before).sf(after - 1)
    assert chances == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 10), st.integers(0, 9), st.floats(0.05, 3), st.floats(0.05, 10))
def test_more_failures_than_before_are_less_likely_chance(before: int, after: int, a: float, b: float) -> None:
    prior = FailurePrior(np.array(a), np.array(b))
    fewer, more = worse_by_chance(prior, [before, before], 10, [after, after + 1], 10)
    assert more <= fewer + 1e-12
    if before < 10:
        from_less, from_more = worse_by_chance(prior, [before, before + 1], 10, [after, after], 10)
        assert from_less <= from_more + 1e-12
