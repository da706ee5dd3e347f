"""Evidence per part: who is named, who is cleared, how often that is wrong, and what it costs (§3.7)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.gate_blame import WORLDS, World, simulated
from steelyard.gate.blame.design import drawn_halves, drawn_tasks, task_shares, weights
from steelyard.gate.blame.effects import estimates, interactions
from steelyard.gate.blame.weigh import advance, margin_for, runs_for, start


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_the_figures_of_real_rates_are_reached(world: World) -> None:
    # 100 experiments: a mean of runs has a standard error of about 3%, a share of about 3 points.
    found = simulated(world, 100, seed=3)
    assert found.runs <= 1.06 * world.runs
    assert found.false <= 0.05 and found.open == 0
    assert world.exact is None or found.exact >= world.exact - 0.06


def test_a_budget_names_its_margin() -> None:
    # √(9/(1020 − 120)) = .1; 120 + 9/.1² = 1020, in looks of 40 runs 1040.
    assert margin_for(1020) == pytest.approx(0.1)
    assert runs_for(0.1) == 1040 and runs_for(0.2) == 360


def test_pairs_weigh_so_that_all_tasks_count_alike() -> None:
    # Two tasks, one of which never varies: σ² = .5/12 and 10.5/12. Σ q_t·w_t must be 1 with w_t = (1/T)/q_t.
    shares = task_shares(np.array([0.0, 10.0]), np.array([10.0, 10.0]))
    assert shares.sum() == pytest.approx(1) and shares[1] > shares[0] > 0.25
    assert (shares * weights(shares, np.array([0, 1]))).sum() == pytest.approx(1)
    assert weights(shares, np.array([0, 1])).max() <= 2


@given(st.integers(1, 40), st.integers(0, 2**31))
def test_before_anything_is_seen_each_task_comes_about_equally_often(tasks: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = drawn_tasks(task_shares(np.zeros(tasks), np.zeros(tasks)), rng)
    counts = np.bincount(drawn, minlength=tasks)
    assert counts.max() - counts.min() <= 1 and counts.sum() == 20


def test_a_part_that_always_decides_is_named_after_one_look() -> None:
    # Nothing varies but the part: every contrast is −1. 12/.05 = 240 < 2¹⁹.
    signs = drawn_halves((20, 12), np.random.default_rng(1))
    tally = advance(start((12,), 0.3), signs, -signs[:, 7])
    assert tally.direction.tolist() == [0] * 7 + [-1] + [0] * 4


def test_coins_that_agree_three_times_are_no_evidence() -> None:
    signs = np.ones((3, 1))
    assert advance(start((1,), 0.3), signs, np.ones(3)).e[0] <= 4


def test_an_answer_that_was_reached_stays() -> None:
    rng = np.random.default_rng(2)
    signs = drawn_halves((20, 2), rng)
    tally = advance(start((2,), 0.3), signs, signs[:, 0])
    assert tally.direction[0] == 1
    for _ in range(3):
        signs = drawn_halves((20, 2), rng)
        tally = advance(tally, signs, -signs[:, 0])
    assert tally.direction[0] == 1


def test_parts_without_effect_are_cleared_at_the_margin_and_not_before() -> None:
    rng = np.random.default_rng(3)
    tally = start((4,), 0.3)
    tally = advance(tally, drawn_halves((20, 4), rng), rng.choice([-1.0, 0.0, 1.0], 20))
    assert not tally.answered.any()
    for _ in range(12):
        tally = advance(tally, drawn_halves((20, 4), rng), rng.choice([-1.0, 0.0, 1.0], 20))
    assert tally.bounded.all() and not tally.direction.any()


def test_500_parts_are_weighed_as_one_is() -> None:
    rng = np.random.default_rng(4)
    for parts in (1, 500):
        tally = start((parts,), 0.3)
        for _ in range(3):
            signs = drawn_halves((20, parts), rng)
            tally = advance(tally, signs, signs[:, 0])
        assert tally.direction[0] == 1 and not tally.direction[1:].any()


def test_least_squares_gives_each_part_its_own_effect() -> None:
    # d = −.3·s₀ + .2·s₂ exactly: no error is left, so there is no interval of width 0.
    signs = drawn_halves((100, 3), np.random.default_rng(5))
    found = estimates(signs, -0.3 * signs[:, 0] + 0.2 * signs[:, 2])
    assert found is not None
    assert [round(one.value, 9) for one in found] == [-0.3, 0, 0.2]


def test_few_pairs_are_estimated_part_by_part() -> None:
    # Two pairs, d = 1 and 0, s = +1 and −1: contrasts 1 and 0, mean .5.
    found = estimates(np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]))
    assert found is not None and found[0].value == 0.5
    assert estimates(np.array([[1.0]]), np.array([1.0])) is None


def test_two_parts_that_need_each_other_are_found_in_the_pair_means() -> None:
    # Only with both (or neither) of 0 and 1 the mean is higher: γ = .25, so that 4γ = 1.
    rng = np.random.default_rng(6)
    signs = drawn_halves((120, 4), rng)
    means = 0.25 * signs[:, 0] * signs[:, 1] + rng.normal(0, 0.2, 120)
    (found,) = interactions(signs, means, [0, 1, 2, 3], 0.05)
    assert (found.first, found.second) == (0, 1) and found.estimate.value == pytest.approx(1, abs=0.2)
