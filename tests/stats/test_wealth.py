"""Alpha wealth over a stream of tests (LORD++)."""

from itertools import pairwise
from random import Random

import pytest

from steelyard.stats.wealth import level


def test_levels_shrink_without_a_win_and_grow_after_one() -> None:
    levels = [level(test, (), 0.05) for test in range(1, 200)]
    # γ falls from its second term on; log(max(j, 2)) makes the first two terms log 2 and log 2 / (2·e^√log 2).
    assert all(later < earlier for earlier, later in pairwise(levels[1:]))
    assert level(4, (3,), 0.05) > level(4, (), 0.05)
    assert level(4, (1, 3), 0.05) > level(4, (3,), 0.05)
    assert level(4, (4, 9), 0.05) == level(4, (), 0.05)


def test_all_levels_together_spend_half_of_alpha_if_nothing_is_won() -> None:
    spent = sum(level(test, (), 0.05) for test in range(1, 100_001))
    assert spent == pytest.approx(0.025, rel=1e-6)


def test_a_loop_without_a_true_gain_wins_rarely() -> None:
    rng, false = Random(3), 0
    for _ in range(400):
        wins: list[int] = []
        for test in range(1, 101):
            if rng.random() < level(test, wins, 0.05):
                wins.append(test)
        false += bool(wins)
    assert false / 400 <= 0.05
