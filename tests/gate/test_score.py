"""docs/scoring.md §3.1: the composite of one run, and the cost adjustment."""

import math

import pytest

from steelyard.gate.model import Cost, Run
from steelyard.gate.score import adjustment, base, composite, mean_cost, objective


@pytest.mark.parametrize(
    ("passed", "total", "expected"),
    [(3, 4, 0.75), (0, 4, 0.0), (4, 4, 1.0), (0, 0, 1.0)],  # a task without checks cannot fail
)
def test_objective_is_the_share_of_checks_passed(passed: int, total: int, expected: float) -> None:
    assert objective(passed, total) == expected


@pytest.mark.parametrize(
    ("run", "judged", "expected"),
    [
        # (0.6·0.75 + 0.4·0.8) / 1.0 = 0.45 + 0.32
        (Run("t", 3, 4, judge=0.8), True, 0.77),
        # the judge is dropped: 3 / 4
        (Run("t", 3, 4, judge=0.8), False, 0.75),
        # no judge at all
        (Run("t", 3, 4), True, 0.75),
        # w = 1: (0.6·0.5 + 1.0·1.0) / 1.6 = 1.3 / 1.6
        (Run("t", 1, 2, judge=1.0, judge_weight=1.0), True, 0.8125),
        # w = 0: the judge counts for nothing: 0.6·0.5 / 0.6
        (Run("t", 1, 2, judge=1.0, judge_weight=0.0), True, 0.5),
        # no checks: (0.6·1 + 0.4·0.2) / 1.0
        (Run("t", 0, 0, judge=0.2), True, 0.68),
    ],
)
def test_base_weighs_checks_and_judge(run: Run, judged: bool, expected: float) -> None:
    assert base(run, judged=judged) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("run", "adj", "expected"),
    [
        (Run("t", 1, 2), 0.1, 0.6),
        (Run("t", 2, 2), 0.1, 1.0),  # clamped above
        (Run("t", 0, 2), -0.1, 0.0),  # clamped below
        (Run("t", 0, 2, composite=0.9), -0.1, 0.9),  # used as it stands
    ],
)
def test_composite_is_clamped_and_a_given_one_stands(run: Run, adj: float, expected: float) -> None:
    assert composite(run, judged=False, adj=adj) == pytest.approx(expected)


def test_nan_is_never_clamped_into_a_number() -> None:
    assert math.isnan(composite(Run("t", 1, 2, judge=math.nan), judged=True))


@pytest.mark.parametrize(
    ("baseline", "candidate", "expected", "metrics"),
    [
        # half the tokens: 0.1·(1 − 0.5)
        (Cost(tokens=1000), Cost(tokens=500), 0.05, ("tokens",)),
        # ratios 0.5 and 1.5: mean 1
        (Cost(tokens=1000, steps=4), Cost(tokens=500, steps=6), 0.0, ("tokens", "steps")),
        # 0.1·(1 − 3) clamped to −0.1
        (Cost(wall_clock_ms=1000), Cost(wall_clock_ms=3000), -0.1, ("wall_clock_ms",)),
        # free instead of dear: 0.1·(1 − 0)
        (Cost(tool_calls=8), Cost(tool_calls=0), 0.1, ("tool_calls",)),
        # baseline 0: ratio 1 when both are 0, else 2
        (Cost(tokens=0), Cost(tokens=0), 0.0, ("tokens",)),
        (Cost(tokens=0), Cost(tokens=7), -0.1, ("tokens",)),
        # unknown is unknown, not 0
        (Cost(tokens=1000), Cost(), 0.0, ()),
        (Cost(), Cost(tokens=1000), 0.0, ()),
        (Cost(tokens=1000, steps=2), Cost(tokens=None, steps=2), 0.0, ("steps",)),
        # USD is shown, not counted
        (Cost(cost_usd=1.0), Cost(cost_usd=0.1), 0.0, ()),
    ],
)
def test_adjustment_rewards_the_cheaper_candidate(
    baseline: Cost, candidate: Cost, expected: float, metrics: tuple[str, ...]
) -> None:
    found = adjustment(baseline, candidate)
    assert found.value == pytest.approx(expected)
    assert found.metrics == metrics


def test_costs_are_means_over_epochs_and_one_unknown_epoch_makes_a_metric_unknown() -> None:
    runs = [Run("t", 1, 1, cost=Cost(tokens=100, steps=2)), Run("t", 1, 1, cost=Cost(tokens=300))]
    assert mean_cost(runs) == Cost(tokens=200)


def test_a_flood_of_claims_cannot_overflow_into_a_bonus() -> None:
    huge = mean_cost([Run("t", 1, 1, cost=Cost(tokens=1.7e308))] * 3)
    assert huge.tokens is not None and math.isfinite(huge.tokens)
    assert adjustment(huge, huge).value == pytest.approx(0.0)
