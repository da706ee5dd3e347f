"""How often the contract rule is fooled by chance: exact small cases, and the real rule on the same runs."""

import numpy as np
import pytest

from steelyard.gate.compare import compare
from steelyard.gate.evidence.contract import contract_shares, fooled, hard_regressions
from steelyard.gate.evidence.noise import NoisyTask
from steelyard.gate.evidence.variation import TaskVariation, recorded_variations, variations, vary_within
from steelyard.gate.model import Comparison, Run, Thresholds

EXACT_FOR = 4 * 0.5 / 2000**0.5
"""Four standard errors of a share over 2,000 comparisons."""


def test_one_fair_coin_is_called_regressed_a_quarter_of_the_time() -> None:
    # One check at 0.5, one round: passes → fails with 1/4 (regressed), fails → passes with 1/4 (improved).
    shares = contract_shares([TaskVariation((0.5,))], 1)
    assert shares.regressed == pytest.approx(0.25, abs=EXACT_FOR)
    assert shares.improved == pytest.approx(0.25, abs=EXACT_FOR)
    assert shares.comparisons == 2000


def test_tasks_multiply() -> None:
    # P(no regression) = P(no task loses its check) = (1 − 0.9·0.1)^20 = 0.91^20 = 0.1516
    shares = contract_shares([TaskVariation((0.9,))] * 20, 1)
    assert shares.regressed == pytest.approx(1 - 0.91**20, abs=EXACT_FOR)


def test_four_checks_at_nine_tenths_fool_it_almost_always_and_more_rounds_make_it_worse() -> None:
    suite = [TaskVariation((0.9,) * 4)] * 20
    once, thrice = contract_shares(suite, 1), contract_shares(suite, 3)
    assert once.regressed > 0.98
    assert thrice.regressed >= once.regressed


def test_a_judge_alone_gets_a_change_that_does_nothing_promoted() -> None:
    # 20 tasks, judge sd 0.05, 3 rounds: Σ d has sd 0.4·0.05·√(2/3)·√20 = 0.073, so P(Σ d > 0.01) = 0.446
    shares = contract_shares([TaskVariation((1.0,) * 4, 0.05, 0.4)] * 20, 3)
    assert shares.improved + shares.regressed == pytest.approx(0.46, abs=0.05)


@pytest.mark.parametrize("suite", [[], [TaskVariation()], [TaskVariation((1.0, 0.0))]])
def test_a_suite_that_never_varies_is_never_fooled(suite: list[TaskVariation]) -> None:
    shares = contract_shares(suite, 3)
    assert (shares.neutral, shares.regressed, shares.improved, shares.comparisons) == (1.0, 0.0, 0.0, 0)


def test_ten_thousand_tasks_are_bounded() -> None:
    assert contract_shares([TaskVariation((0.99,) * 4)] * 10_000, 3).comparisons == 100


@pytest.mark.parametrize("strict", [True, False])
def test_it_is_the_rule_of_compare(strict: bool) -> None:
    rng = np.random.default_rng(1)
    limits = Thresholds(objective_drop_is_regression=strict)
    for _ in range(200):
        passed = rng.binomial(4, 0.97, (2, 3, 5))  # sides × rounds × tasks
        judges = rng.normal(0.5, 0.1, (2, 3, 5))
        sides = [
            [
                Run(f"t{task}", passed[side, r, task], 4, float(judges[side, r, task]))
                for r in range(3)
                for task in range(5)
            ]
            for side in range(2)
        ]
        outcome = compare(sides[0], sides[1], limits)
        assert isinstance(outcome, Comparison)
        passes = (passed[1] - passed[0]).mean(0)
        deltas = 0.6 * passes / 4 + 0.4 * (judges[1] - judges[0]).mean(0)
        assert bool(hard_regressions(passes[None], deltas[None], limits)[0]) == bool(outcome.regressions)
        assert np.round(np.round(deltas, 6).sum(), 6) == pytest.approx(outcome.net_gain, abs=2e-6)


def test_the_sentence_names_what_it_is_fooled_into() -> None:
    shares = contract_shares([TaskVariation((0.9,) * 4)] * 20, 3)
    assert fooled(shares) == (
        "On a suite that varies like this one, the contract rule calls a change that does nothing regressed in more "
        "than 99% of comparisons; --policy adaptive is not fooled."
    )
    half = contract_shares([TaskVariation((0.5,))], 1)
    assert "regressed in 2" in fooled(half)
    assert "and improved in 2" in fooled(half)


def run(task: str, **checks: bool) -> Run:
    return Run(task, sum(checks.values()), len(checks), checks=checks)


def test_a_check_that_varies_within_a_side_has_the_rate_of_both_sides() -> None:
    before = [run("t", x=True, y=True), run("t", x=False, y=True)]
    after = [run("t", x=True, y=False), run("t", x=True, y=False)]
    # x: 3 of 4 runs; y is constant on each side: a change and not chance, so the baseline's result stands.
    assert variations(before, after)[0].pass_rates == (0.75, 1.0)
    assert vary_within(before)
    assert not vary_within(after)


def test_counts_alone_say_which_checks_can_vary() -> None:
    before, after = [Run("t", 3, 5), Run("t", 4, 5)], [Run("t", 3, 5), Run("t", 3, 5)]
    # three always pass, one passes in 1 of 4 runs, one never does
    assert variations(before, after)[0].pass_rates == (1.0, 1.0, 1.0, 0.25, 0.0)


def test_spread_is_measured_within_the_sides() -> None:
    before = [Run("t", 1, 1, 0.4), Run("t", 1, 1, 0.6)]
    after = [Run("t", 1, 1, 0.8), Run("t", 1, 1, 1.0)]
    assert variations(before, after)[0].judge_sd == pytest.approx(0.02**0.5)
    composites = [Run("t", 0, 0, composite=value) for value in (0.4, 0.6)]
    assert variations(composites, composites)[0].composite_sd == pytest.approx(0.02**0.5)
    assert variations([Run("t", float("nan"), 1)], []) == ()


def test_a_record_gives_the_same_suite() -> None:
    task = NoisyTask("t", 10, {"x": 0.9}, 0.1, 0.1, 0.0, 0.3, judge_sd=0.05, judge_weight=0.4)
    assert recorded_variations([task]) == (TaskVariation((0.9,), 0.05, 0.4),)
