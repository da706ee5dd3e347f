"""Means corrected for the errors of a judge (docs/statistics.md)."""

from __future__ import annotations

import pytest

from steelyard.stats.correction import ppi, ppi_over, rectified


def test_ppi_takes_a_constant_error_away() -> None:
    # judge = label + .2: cov/var = 1, λ = 1/(1 + 4/4) = .5; mean f = .6, mean(y − .5 f) = .4 − .3 = .1, θ = .3 + .1
    labelled = [(0.3, 0.1), (0.5, 0.3), (0.7, 0.5), (0.9, 0.7)]
    found = ppi([0.3, 0.5, 0.7, 0.9], labelled)
    assert found is not None
    assert (found.raw, found.value) == (pytest.approx(0.6), pytest.approx(0.4))
    # var(f) = .2/3; Var = .25·.2/3/4 + .25·.2/3/4 = .008333, half = 1.96·.0913 = .1789
    assert (found.low, found.high) == (pytest.approx(0.4 - 0.1789, abs=1e-3), pytest.approx(0.4 + 0.1789, abs=1e-3))


def test_a_judge_that_says_always_the_same_adds_nothing() -> None:
    found = ppi([0.5, 0.5, 0.5], [(0.5, 0.2), (0.5, 0.4)])
    assert found is not None and found.value == pytest.approx(0.3)
    assert ppi([0.5], [(0.5, 0.2), (0.5, 0.4)]) is None


def test_groups_with_labels_of_their_own_are_weighed_by_their_size() -> None:
    labelled = [(0.3, 0.1), (0.5, 0.3), (0.7, 0.5), (0.9, 0.7)]
    same = [(0.2, 0.2), (0.4, 0.4), (0.6, 0.6), (0.8, 0.8)]
    found = ppi_over([([0.3, 0.5, 0.7, 0.9], labelled), ([0.2, 0.4, 0.6, 0.8], same)])
    assert found is not None
    # θ = ½·.4 (as above) + ½·.5; Var = ¼·.008333 + ¼·.008333, half = 1.96·.06455 = .1265
    assert (found.raw, found.value, found.labels) == (pytest.approx(0.55), pytest.approx(0.45), 8)
    assert found.high - found.value == pytest.approx(0.1265, abs=1e-3)
    assert ppi_over([]) is None and ppi_over([([0.5], same)]) is None


def test_a_rectified_score_is_what_people_would_say() -> None:
    line = rectified([(0.3, 0.1), (0.5, 0.3), (0.7, 0.5), (0.9, 0.7)])  # always 0.2 too high
    assert (line(0.6), line(0.1), line(2.0)) == (pytest.approx(0.4), 0.0, 1.0)
    assert rectified([(0.5, 0.2), (0.5, 0.4)])(0.9) == pytest.approx(0.3)
