from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.rank import competition_ranks, rank_intervals, tie_groups


def test_ranks_are_one_plus_how_many_are_strictly_better() -> None:
    totals = np.array([[0.9], [0.5], [0.9 + 1e-9], [0.1]])  # the third is tied with the first at 6 decimals
    assert competition_ranks(totals).T.tolist() == [[1, 3, 1, 4]]


def test_a_clear_winner_has_rank_one_for_certain() -> None:
    found = rank_intervals([(1.0, np.array([[1.0] * 50, [0.0] * 50]))])
    assert [(each.low, each.high, each.first) for each in found] == [(1, 1, 1.0), (2, 2, 0.0)]


def test_the_same_seed_gives_the_same_answer() -> None:
    scores = (np.random.default_rng(3).random((5, 40)) < 0.6).astype(float)
    assert rank_intervals([(1.0, scores)], seed=1) == rank_intervals([(1.0, scores)], seed=1)
    assert rank_intervals([(1.0, scores)], seed=1) != rank_intervals([(1.0, scores)], seed=2)


def test_two_equal_subjects_share_the_first_place() -> None:
    scores = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
    assert [each.first for each in rank_intervals([(1.0, scores)])] == [0.5, 0.5]


def test_nobody_to_rank() -> None:
    assert rank_intervals([]) == [] and rank_intervals([(1.0, np.zeros((0, 5)))]) == []


@given(st.integers(2, 6), st.integers(3, 20), st.integers(0, 99))
def test_chances_of_the_first_place_sum_to_one(subjects: int, items: int, seed: int) -> None:
    scores = np.random.default_rng(seed).random((subjects, items))
    found = rank_intervals([(0.4, scores), (0.6, scores[:, ::-1])], seed=seed, draws=50)
    assert sum(each.first for each in found) == pytest.approx(1.0)
    assert all(1 <= each.low <= each.high <= subjects for each in found)


def test_a_tie_group_is_everything_not_distinct_from_its_best_member() -> None:
    # 0 and 2 differ; 1 differs from nobody: it belongs to the group that opened first
    assert tie_groups([0, 1, 2, 3], [(0, 2), (0, 3)]) == {0: 1, 1: 1, 2: 2, 3: 2}


def test_groups_may_be_interleaved() -> None:
    # 3 ranks below 2 but only 2 is distinct from the best
    assert tie_groups([0, 2, 3], [(0, 2)]) == {0: 1, 3: 1, 2: 2}
