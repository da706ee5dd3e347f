"""What rounds of both arms show: the order of the verdicts, the degenerate cases, and the error rates by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.gate.evidence.checks import WATCHED_TASKS, watch_list, worse_units
from steelyard.gate.evidence.decision import IMPROVED, MIXED, NEUTRAL, REGRESSED, UNDECIDED, decide, other_question
from steelyard.gate.evidence.means import weigh_means
from steelyard.gate.evidence.observed import Failures, Observed, Stored
from steelyard.gate.evidence.policy import Policy

ADAPTIVE, FIXED = Policy("adaptive"), Policy("evidence")
SAFE = Policy("adaptive", question="safe")


def rounds(mean: float, spread: float, tasks: int = 10, count: int = 6, seed: int = 1) -> Any:
    """Deltas of tasks × rounds that scatter around `mean`."""
    return np.random.default_rng(seed).normal(mean, spread, (tasks, count))


def failures(before: Any, after: Any, count: float) -> Failures:
    own, other = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    full = np.full(own.shape, count)
    return Failures(own, other, own, other, full, full, (int(count), int(count)))


@pytest.mark.parametrize("policy", [ADAPTIVE, FIXED])
def test_a_clear_gain_is_improved_and_a_clear_loss_is_regressed(policy: Policy) -> None:
    assert decide(Observed(rounds(0.1, 0.02)), policy).code == IMPROVED
    assert decide(Observed(rounds(-0.1, 0.02)), policy).code == REGRESSED


def test_no_worse_than_the_margin_is_neutral() -> None:
    # Mean 0, spread of a round mean 0.02/sqrt(10): far inside a margin of 0.05.
    assert decide(Observed(rounds(0.0, 0.02)), SAFE).code == NEUTRAL
    assert decide(Observed(rounds(0.0, 0.02)), FIXED).code == NEUTRAL


def test_better_goes_on_while_there_is_a_chance_left() -> None:
    deltas = rounds(0.004, 0.02, count=5, seed=3)
    chance = float(decide(Observed(deltas), ADAPTIVE).means.chances.gain)
    assert chance > 0.1
    assert decide(Observed(deltas), ADAPTIVE).code == UNDECIDED
    assert decide(Observed(deltas), SAFE).code == NEUTRAL


@pytest.mark.parametrize("policy", [ADAPTIVE, FIXED, SAFE])
@pytest.mark.parametrize("value", [0.0, 0.2, -0.2])
def test_equal_deltas_decide_nothing(policy: Policy, value: float) -> None:
    assert decide(Observed(np.full((10, 6), value)), policy).code == UNDECIDED


@pytest.mark.parametrize("policy", [ADAPTIVE, FIXED, SAFE])
def test_one_round_of_one_task_decides_nothing(policy: Policy) -> None:
    assert decide(Observed(np.array([[0.4]])), policy).code == UNDECIDED


def test_five_tasks_once_never_show_a_gain() -> None:
    # 2^5 sign flips: the smallest p is 1/32 > 0.025.
    assert decide(Observed(rounds(0.5, 0.01, tasks=5, count=1)), FIXED).code != IMPROVED


def test_a_suspect_blocks_a_gain() -> None:
    deltas = rounds(0.1, 0.02)
    calm = failures([0] * 40, [0] * 40, 6)
    worse = failures([0] * 40, [4] + [0] * 39, 6)
    assert decide(Observed(deltas, calm), ADAPTIVE).code == IMPROVED
    decision = decide(Observed(deltas, worse), ADAPTIVE)
    assert decision.worse.suspect
    assert decision.code in (UNDECIDED, MIXED)


def test_an_unsettled_check_blocks_neutral_alone_and_keeps_an_undecided_run_open() -> None:
    unsettled = failures([0] * 40, [1] + [0] * 39, 12)
    gain = decide(Observed(rounds(0.1, 0.02, count=12), unsettled), ADAPTIVE)
    assert gain.worse.unsettled and not gain.worse.suspect
    assert gain.code == IMPROVED
    flat = np.tile(np.tile([0.15, -0.15], 6), (10, 1)) + rounds(0.0, 1e-6, count=12)
    assert not decide(Observed(flat, failures([0] * 40, [0] * 40, 12)), ADAPTIVE).open
    assert decide(Observed(flat, unsettled), ADAPTIVE).open
    calm = rounds(0.0, 0.02, count=12)
    assert decide(Observed(calm), SAFE).code == NEUTRAL
    assert decide(Observed(calm, unsettled), SAFE).code == UNDECIDED


def test_a_check_that_always_fails_now_is_a_loss_and_mixed_beside_a_gain() -> None:
    broken = failures([0] * 80, [6] + [0] * 79, 6)
    for policy in (ADAPTIVE, FIXED, SAFE):
        assert decide(Observed(rounds(-0.01, 0.02, tasks=20), broken), policy).code == REGRESSED
        assert decide(Observed(rounds(0.1, 0.02, tasks=20), broken), policy).code == MIXED


def test_a_check_that_rose_beside_one_that_fell_is_mixed_without_a_gain_of_the_mean() -> None:
    deltas = rounds(0.0, 0.05, tasks=20, count=8)
    both = failures([0, 8] + [0] * 78, [8, 0] + [0] * 78, 8)
    assert decide(Observed(deltas, both), ADAPTIVE).code == MIXED


def test_a_mean_that_is_a_loss_is_regressed_whatever_else_rose() -> None:
    both = failures([0, 8] + [0] * 78, [8, 0] + [0] * 78, 8)
    assert decide(Observed(rounds(-0.2, 0.05, tasks=20, count=8), both), ADAPTIVE).code == REGRESSED


def test_after_a_loss_rounds_go_on_only_while_a_gain_may_be_shown() -> None:
    broken = failures([0] * 80, [6] + [0] * 79, 6)
    hopeful, hopeless = (decide(Observed(rounds(mean, 0.2, tasks=20), broken), ADAPTIVE) for mean in (0.03, -0.05))
    assert (int(hopeful.code), bool(hopeful.open)) == (REGRESSED, True)
    assert (int(hopeless.code), bool(hopeless.open)) == (REGRESSED, False)


def test_a_run_stops_when_neither_verdict_keeps_a_chance() -> None:
    # Round means of 0 with a spread of 0.15: after 12 of 20 rounds neither a gain, a loss nor safety is within reach.
    means = np.tile([0.15, -0.15], 6)
    decision = decide(Observed(np.tile(means, (10, 1)) + rounds(0.0, 1e-6, count=12)), ADAPTIVE)
    assert (int(decision.code), bool(decision.open)) == (UNDECIDED, False)
    early = decide(Observed((np.tile(means, (10, 1)) + rounds(0.0, 1e-6, count=12))[:, :3]), ADAPTIVE)
    assert early.open


@pytest.mark.parametrize("lost", [0.25, 0.5])
def test_one_bad_round_of_the_baseline_is_no_improvement(lost: float) -> None:
    # 20 tasks at .9, five rounds, and a share of the baseline's runs in round 3 fails: 1,000 comparisons, 2.5% + 3 SE.
    rng = np.random.default_rng(5)
    passes = rng.random((2, 1000, 20, 5)) < 0.9
    passes[0, :, :, 2] &= rng.random((1000, 20)) >= lost
    deltas = passes[1].astype(float) - passes[0]
    failed = (~passes).sum(-1).astype(float)
    for policy in (FIXED, Policy("evidence", question="safe")):
        codes = decide(Observed(deltas, failures(failed[0], failed[1], 5)), policy).code
        assert (codes == IMPROVED).mean() <= 0.04


def test_without_check_names_tasks_are_tested() -> None:
    deltas = rounds(0.0, 0.02, tasks=20)
    deltas[0] -= 0.25
    checks, _, tasks = worse_units(Observed(deltas))
    assert checks is None
    assert tasks is not None
    assert int(np.argmin(tasks)) == 0
    assert decide(Observed(deltas), ADAPTIVE).code == REGRESSED


def test_the_order_of_tasks_does_not_matter() -> None:
    deltas = rounds(0.02, 0.05)
    order = np.random.default_rng(2).permutation(10)
    one, other = decide(Observed(deltas), ADAPTIVE), decide(Observed(deltas[order]), ADAPTIVE)
    assert (int(one.code), float(one.means.gain)) == (int(other.code), pytest.approx(float(other.means.gain)))


@pytest.mark.parametrize("policy", [ADAPTIVE, FIXED, SAFE])
def test_a_batch_is_its_rows(policy: Policy) -> None:
    batch = np.stack([rounds(mean, 0.03, seed=number) for number, mean in enumerate((-0.1, 0.0, 0.01, 0.1))])
    together = decide(Observed(batch), policy).code
    assert list(together) == [int(decide(Observed(deltas), policy).code) for deltas in batch]


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
    codes = decide(Observed(deltas, Failures(lost[0], lost[1], lost[0], lost[1], full, full, (5, 5))), FIXED).code
    assert (codes == IMPROVED).mean() <= 0.04
    assert (codes == REGRESSED).mean() <= 0.04


def suite(seed: int, count: int = 6, tasks: int = 8) -> tuple[Any, Any]:
    """Deltas of tasks × rounds, and failures of both arms per task and check, with some luck in them."""
    rng = np.random.default_rng(seed)
    rates = rng.beta(1.6, 0.4, (tasks, 4, 1))
    failed = rng.random((2, tasks, 4, count)) >= rates
    return (failed[0].sum(1) - failed[1].sum(1)) / 4, failed.sum(-1)


@given(st.integers(0, 500), st.permutations(range(8)), st.sampled_from([ADAPTIVE, FIXED, SAFE]))
def test_the_order_of_tasks_with_named_checks_does_not_matter(seed: int, order: list[int], policy: Policy) -> None:
    deltas, lost = suite(seed)
    one = decide(Observed(deltas, failures(lost[0].ravel(), lost[1].ravel(), 6)), policy)
    other = decide(Observed(deltas[order], failures(lost[0][order].ravel(), lost[1][order].ravel(), 6)), policy)
    assert int(one.code) == int(other.code)
    assert float(one.means.gain) == pytest.approx(float(other.means.gain), rel=1e-6)
    before, after = one.worse_units.checks, other.worse_units.checks
    assert before is not None and after is not None
    assert before.reshape(8, 4)[order].ravel() == pytest.approx(after)


@given(st.integers(0, 500))
def test_exchanging_the_arms_exchanges_gain_and_loss(seed: int) -> None:
    deltas, _ = suite(seed)
    one, other = decide(Observed(deltas), ADAPTIVE), decide(Observed(-deltas), ADAPTIVE)
    assert float(one.means.gain) == pytest.approx(float(other.means.loss), rel=1e-9)
    assert {int(one.code), int(other.code)} != {IMPROVED}


@given(st.integers(0, 500), st.integers(2, 11))
def test_a_resumed_comparison_stays_on_its_path(seed: int, stopped: int) -> None:
    # Rounds are kept, the process that saw the first ones is not: looks after the stop are those of one long run.
    deltas, _ = suite(seed, count=12)
    whole = [decide(Observed(deltas[:, :k]), ADAPTIVE) for k in range(2, 13)]
    saved = deltas[:, :stopped].tolist()
    resumed = np.concatenate([np.array(saved), deltas[:, stopped:]], axis=1)
    for k in range(stopped, 13):
        look = decide(Observed(resumed[:, :k]), ADAPTIVE)
        assert (int(look.code), float(look.means.gain)) == (int(whole[k - 2].code), float(whole[k - 2].means.gain))


@given(st.integers(0, 500))
def test_the_other_question_is_answered_as_if_it_had_been_asked(seed: int) -> None:
    deltas, lost = suite(seed)
    observed = Observed(deltas, failures(lost[0].ravel(), lost[1].ravel(), 6))
    code, going = other_question(decide(observed, ADAPTIVE), "safe")
    asked = decide(observed, SAFE)
    assert (int(code), bool(going)) == (int(asked.code), bool(asked.open))


@pytest.mark.parametrize("policy", [ADAPTIVE, SAFE])
@pytest.mark.parametrize(("rate", "tasks"), [(0.9, 20), (0.6, 10), ("mixed", 5)])
def test_looking_after_every_round_is_allowed(policy: Policy, rate: float | str, tasks: int) -> None:
    # 1,000 comparisons in which nothing changed, a look after every round from the fourth to the twentieth; nominal
    # 2.5% each side, standard error 0.5%, so 4% is three of them away.
    rng = np.random.default_rng(37)
    shape = (1000, tasks, 4, 1)
    rates = rng.beta(1.6, 0.4, shape) if rate == "mixed" else np.full(shape, rate)
    failed = rng.random((2, 1000, tasks, 4, 20)) >= rates
    deltas = (failed[0].sum(2) - failed[1].sum(2)) / 4
    codes = np.full(1000, UNDECIDED)
    for k in range(4, 21):
        lost = failed[..., :k].sum(-1).reshape(2, 1000, tasks * 4)
        codes = np.where(
            codes == UNDECIDED, decide(Observed(deltas[..., :k], failures(lost[0], lost[1], k)), policy).code, codes
        )
    assert (codes == IMPROVED).mean() <= 0.04
    assert (codes == REGRESSED).mean() <= 0.04


def test_a_loss_as_large_as_the_margin_is_rarely_called_neutral_after_fixed_rounds() -> None:
    # The interval covers the true mean -margin in 97.5% of comparisons; 4% is three standard errors above 2.5%.
    deltas = np.random.default_rng(41).normal(-FIXED.margin, 0.1, (1000, 20, 5))
    assert (decide(Observed(deltas), FIXED).code == NEUTRAL).mean() <= 0.04


def test_rounds_after_the_last_one_add_no_error_against_a_record() -> None:
    # 1,000 comparisons in which nothing changed, 60 runs of each task on record, no drift, looks up to round 60 of 20:
    # nominal 2.5% a gain, standard error 0.5%, so 4% is three of them away; a line for 20 rounds alone erred in 9%.
    rng = np.random.default_rng(7)
    record, runs = rng.random((1000, 20, 60)) < 0.8, rng.random((1000, 20, 60)) < 0.8
    stored = Stored(record.var(-1, ddof=1), np.full((1000, 20), 60.0), drift=0.0)
    deltas = runs - record.mean(-1, keepdims=True)
    looks = {k: weigh_means(Observed(deltas[..., :k], stored=stored), ADAPTIVE).shown for k in range(4, 61, 4)}
    assert 0 < np.any([shown.gain for shown in looks.values()], axis=0).mean() <= 0.04
    assert np.array_equal(looks[60], looks[20])
