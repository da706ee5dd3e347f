"""What rounds of both arms show: the order of the verdicts, the degenerate cases, and the error rates by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steelyard.gate.evidence.decision import (
    IMPROVED,
    NEUTRAL,
    REGRESSED,
    UNDECIDED,
    WATCHED_TASKS,
    Failures,
    Observed,
    Rules,
    decide,
    watch_list,
    worse_units,
)

ADAPTIVE, FIXED = Rules(), Rules(adaptive=False)
SAFE = Rules(question="safe")


def rounds(mean: float, spread: float, tasks: int = 10, count: int = 6, seed: int = 1) -> Any:
    """Deltas of tasks × rounds that scatter around `mean`."""
    return np.random.default_rng(seed).normal(mean, spread, (tasks, count))


def failures(before: Any, after: Any, count: float) -> Failures:
    own, other = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    full = np.full(own.shape, count)
    return Failures(own, own, other, full, full)


@pytest.mark.parametrize("rules", [ADAPTIVE, FIXED])
def test_a_clear_gain_is_improved_and_a_clear_loss_is_regressed(rules: Rules) -> None:
    assert decide(Observed(rounds(0.1, 0.02)), rules).code == IMPROVED
    assert decide(Observed(rounds(-0.1, 0.02)), rules).code == REGRESSED


def test_no_worse_than_the_margin_is_neutral() -> None:
    # Mean 0, spread of a round mean 0.02/sqrt(10): far inside a margin of 0.05.
    assert decide(Observed(rounds(0.0, 0.02)), SAFE).code == NEUTRAL
    assert decide(Observed(rounds(0.0, 0.02)), FIXED).code == NEUTRAL


def test_better_goes_on_while_there_is_a_chance_left() -> None:
    deltas = rounds(0.004, 0.02, count=5, seed=3)
    chance = float(decide(Observed(deltas), ADAPTIVE).chance)
    assert chance > 0.1
    assert decide(Observed(deltas), ADAPTIVE).code == UNDECIDED
    assert decide(Observed(deltas), SAFE).code == NEUTRAL


@pytest.mark.parametrize("rules", [ADAPTIVE, FIXED, SAFE])
@pytest.mark.parametrize("value", [0.0, 0.2, -0.2])
def test_equal_deltas_decide_nothing(rules: Rules, value: float) -> None:
    assert decide(Observed(np.full((10, 6), value)), rules).code == UNDECIDED


@pytest.mark.parametrize("rules", [ADAPTIVE, FIXED, SAFE])
def test_one_round_of_one_task_decides_nothing(rules: Rules) -> None:
    assert decide(Observed(np.array([[0.4]])), rules).code == UNDECIDED


def test_five_tasks_once_never_show_a_gain() -> None:
    # 2^5 sign flips: the smallest p is 1/32 > 0.025.
    assert decide(Observed(rounds(0.5, 0.01, tasks=5, count=1)), FIXED).code != IMPROVED


def test_a_suspect_blocks_a_gain() -> None:
    deltas = rounds(0.1, 0.02)
    calm = failures([0] * 40, [0] * 40, 6)
    worse = failures([0] * 40, [4] + [0] * 39, 6)
    assert decide(Observed(deltas, calm), ADAPTIVE).code == IMPROVED
    decision = decide(Observed(deltas, worse), ADAPTIVE)
    assert decision.suspect
    assert decision.code in (UNDECIDED, REGRESSED)


def test_a_check_that_always_fails_now_is_confirmed() -> None:
    broken = failures([0] * 80, [6] + [0] * 79, 6)
    assert decide(Observed(rounds(0.1, 0.02, tasks=20), broken), ADAPTIVE).code == REGRESSED


def test_without_check_names_tasks_are_tested() -> None:
    deltas = rounds(0.0, 0.02, tasks=20)
    deltas[0] -= 0.25
    checks, tasks = worse_units(Observed(deltas))
    assert checks is None
    assert tasks is not None
    assert int(np.argmin(tasks)) == 0
    assert decide(Observed(deltas), ADAPTIVE).code == REGRESSED


def test_the_order_of_tasks_does_not_matter() -> None:
    deltas = rounds(0.02, 0.05)
    order = np.random.default_rng(2).permutation(10)
    one, other = decide(Observed(deltas), ADAPTIVE), decide(Observed(deltas[order]), ADAPTIVE)
    assert (int(one.code), float(one.gain)) == (int(other.code), pytest.approx(float(other.gain)))


@pytest.mark.parametrize("rules", [ADAPTIVE, FIXED, SAFE])
def test_a_batch_is_its_rows(rules: Rules) -> None:
    batch = np.stack([rounds(mean, 0.03, seed=number) for number, mean in enumerate((-0.1, 0.0, 0.01, 0.1))])
    together = decide(Observed(batch), rules).code
    assert list(together) == [int(decide(Observed(deltas), rules).code) for deltas in batch]


def test_the_watch_list_takes_the_worst_tasks_and_no_calm_ones() -> None:
    task_of = np.repeat(np.arange(5), 2)
    worse = np.array([0.1, 9.0, 9.0, 9.0, 0.2, 0.3, 0.5, 9.0, 0.9, 9.0])
    assert list(np.flatnonzero(watch_list(worse, task_of, 5))) == [0, 2, 3]
    assert watch_list(np.full(10, 9.0), task_of, 5).sum() == 0
    assert WATCHED_TASKS == 3


@pytest.mark.parametrize("rate", [0.6, 0.9, 0.99])
@pytest.mark.parametrize("tasks", [5, 20])
def test_a_change_that_does_nothing_is_rarely_judged_wrongly_after_fixed_rounds(rate: float, tasks: int) -> None:
    # 1,000 comparisons of five rounds; nominal 2.5% each side, standard error 0.5%, so 4% is three of them away.
    rng = np.random.default_rng(17)
    passes = rng.random((2, 1000, tasks, 4, 5)) < rate
    deltas = (passes[1].sum(2) - passes[0].sum(2)) / 4
    lost = (~passes).sum(4).reshape(2, 1000, tasks * 4).astype(float)
    full = np.full(lost[0].shape, 5.0)
    codes = decide(Observed(deltas, Failures(lost[0], lost[0], lost[1], full, full)), FIXED).code
    assert (codes == IMPROVED).mean() <= 0.04
    assert (codes == REGRESSED).mean() <= 0.04
