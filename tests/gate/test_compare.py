"""docs/scoring.md §3.2, row by row, and the laws that hold for every pair of arms."""

import dataclasses
import math
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.gate.compare import compare, should_promote, verdict
from steelyard.gate.evidence.rounds import observe
from steelyard.gate.model import Arm, Comparison, Cost, NoVerdict, Regression, Run, Side, Thresholds
from steelyard.gate.weigh import Spec, weigh
from steelyard.outcome import exact


def weighed(base: Sequence[Run], cand: Sequence[Run], thresholds: Thresholds | None = None) -> Comparison:
    found = compare(base, cand, thresholds)
    assert isinstance(found, Comparison)
    return found


NOW = datetime(2026, 1, 1, tzinfo=UTC)
LAX = Thresholds(objective_drop_is_regression=False)

ROWS = [
    # name, baseline, candidate, thresholds, verdict, kinds of hard regression, net gain
    ("equal", [Run("t", 1, 2)], [Run("t", 1, 2)], None, "neutral", [], 0.0),
    ("gain", [Run("t", 1, 2)], [Run("t", 2, 2)], None, "improved", [], 0.5),
    # a gain of exactly 0.01 does not exceed it
    (
        "gain at the threshold",
        [Run("t", 1, 1, composite=0.5)],
        [Run("t", 1, 1, composite=0.51)],
        None,
        "neutral",
        [],
        0.01,
    ),
    (
        "gain above it",
        [Run("t", 1, 1, composite=0.5)],
        [Run("t", 1, 1, composite=0.510001)],
        None,
        "improved",
        [],
        0.010001,
    ),
    # 0.72 − 0.77 is −0.05000000000000004 in floats; rounded it is exactly the threshold and no regression
    (
        "drop at the threshold",
        [Run("t", 1, 1, composite=0.77)],
        [Run("t", 1, 1, composite=0.72)],
        None,
        "neutral",
        [],
        -0.05,
    ),
    (
        "drop beyond it",
        [Run("t", 1, 1, composite=0.77)],
        [Run("t", 1, 1, composite=0.719)],
        None,
        "regressed",
        ["composite"],
        -0.051,
    ),
    (
        "net loss without a hard regression",
        [Run("t", 1, 1, composite=0.5)],
        [Run("t", 1, 1, composite=0.47)],
        None,
        "neutral",
        [],
        -0.03,
    ),
    # 4/4 → 3/4: fewer passed, lower rate, and −0.25
    (
        "a check lost",
        [Run("t", 4, 4)],
        [Run("t", 3, 4)],
        None,
        "regressed",
        ["objective", "objective", "composite"],
        -0.25,
    ),
    # more checks passed but a lower share: 2/2 → 3/4
    (
        "pass rate lower",
        [Run("t", 2, 2, composite=0.5)],
        [Run("t", 3, 4, composite=0.5)],
        None,
        "regressed",
        ["objective"],
        0.0,
    ),
    # 3/4 → 2/2: the share rises, but checks vanished and fewer passed
    ("fewer checks", [Run("t", 3, 4)], [Run("t", 2, 2)], None, "regressed", ["fewer_checks", "objective"], 0.25),
    ("fewer checks, flag off", [Run("t", 3, 4)], [Run("t", 2, 2)], LAX, "regressed", ["fewer_checks"], 0.25),
    ("a check lost, flag off", [Run("t", 100, 100)], [Run("t", 99, 100)], LAX, "neutral", [], -0.01),
    ("checks vanish altogether", [Run("t", 1, 2)], [Run("t", 0, 0)], LAX, "regressed", ["fewer_checks"], 0.5),
    # one task gains 0.5, the other loses a check: the loss wins
    (
        "gain and break",
        [Run("a", 1, 2), Run("b", 5, 5)],
        [Run("a", 2, 2), Run("b", 4, 5)],
        None,
        "regressed",
        ["objective", "objective", "composite"],
        0.3,
    ),
    ("task missing", [Run("a", 1, 2), Run("b", 1, 2)], [Run("a", 2, 2)], None, "regressed", ["missing"], 0.5),
    ("candidate-only task", [Run("a", 1, 2)], [Run("a", 1, 2), Run("new", 9, 9)], None, "neutral", [], 0.0),
    (
        "NaN composite",
        [Run("a", 1, 1, composite=0.1)],
        [Run("a", 1, 1, composite=math.nan)],
        None,
        "regressed",
        ["non_finite"],
        0.0,
    ),
    (
        "infinite composite",
        [Run("a", 1, 1, composite=0.1)],
        [Run("a", 1, 1, composite=math.inf)],
        None,
        "regressed",
        ["non_finite"],
        0.0,
    ),
    (
        "NaN on the baseline",
        [Run("a", 1, 1, composite=math.nan)],
        [Run("a", 1, 1, composite=0.9)],
        None,
        "regressed",
        ["non_finite"],
        0.0,
    ),
    (
        "NaN judge",
        [Run("a", 1, 2, judge=0.5)],
        [Run("a", 2, 2, judge=math.nan)],
        None,
        "regressed",
        ["non_finite"],
        0.0,
    ),
    (
        "NaN cost",
        [Run("a", 1, 2, cost=Cost(tokens=9))],
        [Run("a", 2, 2, cost=Cost(tokens=math.nan))],
        None,
        "regressed",
        ["non_finite"],
        0.0,
    ),
    (
        "negative cost",
        [Run("a", 1, 2, cost=Cost(tokens=9))],
        [Run("a", 2, 2, cost=Cost(tokens=-9))],
        None,
        "regressed",
        ["non_finite"],
        0.0,
    ),
    # half the tokens: +0.05 on a base of 0.5
    (
        "cheaper",
        [Run("t", 1, 2, cost=Cost(tokens=100))],
        [Run("t", 1, 2, cost=Cost(tokens=50))],
        None,
        "improved",
        [],
        0.05,
    ),
    # at 1.0 there is nothing to gain
    (
        "cheaper at the top",
        [Run("t", 2, 2, cost=Cost(tokens=100))],
        [Run("t", 2, 2, cost=Cost(tokens=50))],
        None,
        "neutral",
        [],
        0.0,
    ),
    # three times the tokens: −0.1
    (
        "much dearer",
        [Run("t", 1, 2, cost=Cost(tokens=100))],
        [Run("t", 1, 2, cost=Cost(tokens=300))],
        None,
        "regressed",
        ["composite"],
        -0.1,
    ),
    # nothing done, for nothing: 0 checks of 2 and −100% cost. 1.0 → 0 + 0.1
    (
        "doing nothing cheaply",
        [Run("t", 2, 2, cost=Cost(tokens=100))],
        [Run("t", 0, 2, cost=Cost(tokens=0))],
        None,
        "regressed",
        ["objective", "objective", "composite"],
        -0.9,
    ),
    # epochs: (2+4)/2 = 3 of 4 in both arms
    (
        "epochs are averaged",
        [Run("t", 2, 4), Run("t", 4, 4)],
        [Run("t", 3, 4), Run("t", 3, 4)],
        None,
        "neutral",
        [],
        0.0,
    ),
    (
        "one bad epoch",
        [Run("t", 4, 4)] * 2,
        [Run("t", 4, 4), Run("t", 3, 4)],
        None,
        "regressed",
        ["objective", "objective", "composite"],
        -0.125,
    ),
    # judge: (0.6·1 + 0.4·0.5) = 0.8 → (0.6 + 0.4·0.9) = 0.96
    ("judge counts", [Run("t", 2, 2, judge=0.5)], [Run("t", 2, 2, judge=0.9)], None, "improved", [], 0.16),
    # judge on one side only: dropped from both, objective decides
    ("judge on one side", [Run("t", 1, 2)], [Run("t", 1, 2, judge=1.0)], None, "neutral", [], 0.0),
]


@pytest.mark.parametrize(
    ("base", "cand", "thresholds", "expected", "kinds", "net"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_every_row_of_the_law(
    base: list[Run], cand: list[Run], thresholds: Thresholds | None, expected: str, kinds: list[str], net: float
) -> None:
    found = weighed(base, cand, thresholds)
    assert found.verdict == expected
    assert [each.kind for each in found.regressions] == kinds
    assert found.net_gain == net
    assert should_promote(found) == (expected == "improved")


@pytest.mark.parametrize(
    ("base", "cand", "reason"),
    [
        ([], [Run("a", 1, 1)], "no runs on the baseline side"),
        ([Run("a", 1, 1)], [], "no runs on the candidate side"),
        ([], [], "no runs on the baseline and candidate side"),
        ([Run("a", 1, 1)], [Run("b", 1, 1)], "no task in common"),
    ],
)
def test_nothing_to_compare_is_no_verdict(base: list[Run], cand: list[Run], reason: str) -> None:
    found = compare(base, cand)
    assert isinstance(found, NoVerdict)
    assert reason in found.reasons[0]
    assert not should_promote(found)


def test_a_judge_missing_on_one_run_is_dropped_from_both_arms_and_forbids_promotion() -> None:
    # Without the judge 1/2 → 2/2 improves; with one verdict missing the gain stands, the promotion does not.
    base = [Run("t", 1, 2, judge=0.9), Run("u", 1, 1, judge=0.5)]
    cand = [Run("t", 2, 2, judge_missing="timeout"), Run("u", 1, 1, judge=0.5)]
    found = weighed(base, cand)
    assert found.verdict == "improved" and found.net_gain == 0.5
    assert [each.judge for each in found.tasks] == ["dropped", "used"]
    assert "candidate side (timeout)" in found.ambiguities[0]
    assert not should_promote(found)


def test_a_judge_that_was_configured_and_never_answered_is_an_ambiguity() -> None:
    arm = [Run("t", 1, 2, judge_missing="unavailable")]
    assert len(weighed(arm, arm).ambiguities) == 1


def test_no_judge_anywhere_is_no_ambiguity() -> None:
    assert weighed([Run("t", 1, 2)], [Run("t", 2, 2)]).ambiguities == ()


def test_flips_name_the_checks_that_changed() -> None:
    base = [Run("t", 1, 2, checks={"a": True, "b": False})]
    found = weighed(base, [Run("t", 1, 2, checks={"a": False, "b": True})])
    assert [(flip.check, flip.baseline, flip.candidate) for flip in found.tasks[0].flips] == [
        ("a", 1.0, 0.0),
        ("b", 0.0, 1.0),
    ]


@pytest.mark.parametrize(
    "forgery",
    [
        {"verdict": "improved"},
        {"verdict": "improved", "net_gain": 5.0},
        {"verdict": "improved", "net_gain": 5.0, "regressions": ()},
    ],
)
def test_a_hand_made_comparison_cannot_claim_a_promotion(forgery: dict[str, object]) -> None:
    honest = weighed([Run("t", 2, 2)], [Run("t", 1, 2)])
    assert not should_promote(dataclasses.replace(honest, **forgery))  # type: ignore[arg-type]


def test_a_hidden_ambiguity_or_an_empty_comparison_never_promotes() -> None:
    dropped = weighed([Run("t", 1, 2)], [Run("t", 2, 2, judge=1.0)])
    assert not should_promote(dataclasses.replace(dropped, ambiguities=()))
    assert not should_promote(dataclasses.replace(dropped, tasks=(), ambiguities=(), net_gain=1.0))


numbers = st.floats(0, 1).map(exact)
checks = st.sampled_from([(passed, total) for total in range(7) for passed in range(total + 1)])
costs = st.builds(Cost, tokens=st.none() | st.integers(0, 10**6), steps=st.none() | st.integers(0, 50))
# `builds` and not `composite`: one draw per field, which halves the time that the examples take.
runs = st.builds(
    lambda task, counts, judge, cost, composite: Run(task, *counts, judge=judge, cost=cost, composite=composite),
    st.sampled_from("abcde"),
    checks,
    st.none() | numbers,
    costs,
    st.none() | numbers,
)
arms = st.lists(runs, min_size=1, max_size=8)


@given(arms)
def test_equal_results_never_improve(arm: list[Run]) -> None:
    found = weighed(arm, arm)
    assert found.verdict == "neutral"
    assert found.net_gain == 0


@given(arms, arms, st.randoms(use_true_random=False))
def test_order_is_irrelevant(base: list[Run], cand: list[Run], rng: object) -> None:
    shuffled_base, shuffled_cand = list(base), list(cand)
    rng.shuffle(shuffled_base)  # type: ignore[attr-defined]
    rng.shuffle(shuffled_cand)  # type: ignore[attr-defined]
    one, other = compare(base, cand), compare(shuffled_base, shuffled_cand)
    assert type(one) is type(other)
    if isinstance(one, Comparison) and isinstance(other, Comparison):
        assert (one.verdict, one.net_gain, one.ambiguities) == (other.verdict, other.net_gain, other.ambiguities)


@given(arms, arms, arms)
def test_candidate_only_tasks_are_irrelevant(base: list[Run], cand: list[Run], extra: list[Run]) -> None:
    foreign = [dataclasses.replace(run, task=f"new-{run.task}") for run in extra]
    one, other = compare(base, cand), compare(base, [*cand, *foreign])
    if isinstance(one, Comparison):
        assert isinstance(other, Comparison)
        assert (one.verdict, one.net_gain, one.tasks) == (other.verdict, other.net_gain, other.tasks)


@given(arms, st.data())
def test_monotone_a_better_candidate_never_gets_a_worse_verdict(base: list[Run], data: st.DataObject) -> None:
    rank = {"regressed": 0, "neutral": 1, "improved": 2}
    cand = [dataclasses.replace(run, composite=None) for run in base]
    plain = [dataclasses.replace(run, composite=None) for run in base]
    better = [dataclasses.replace(run, passed=data.draw(st.integers(int(run.passed), int(run.total)))) for run in cand]
    assert rank[weighed(plain, better).verdict] >= rank[weighed(plain, cand).verdict]
    assert weighed(plain, better).net_gain >= weighed(plain, cand).net_gain


@given(arms, arms)
def test_any_hard_regression_wins(base: list[Run], cand: list[Run]) -> None:
    gain = Run("gain", 0, 9)
    hurt = Run("hurt", 1, 1)
    found = weighed(
        [*base, gain, hurt],
        [*cand, dataclasses.replace(gain, passed=9), dataclasses.replace(hurt, passed=0)],
    )
    assert found.verdict == "regressed"
    assert not should_promote(found)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_non_finite_value_on_either_side_is_never_fine(value: float) -> None:
    for base, cand in (
        ([Run("t", 1, 1, composite=value)], [Run("t", 1, 1, composite=0.5)]),
        ([Run("t", 1, 1, composite=0.5)], [Run("t", 1, 1, composite=value)]),
    ):
        found = weighed(base, cand)
        if not math.isfinite(value):
            assert found.verdict == "regressed"


def test_counts_whose_sum_is_not_finite_have_a_mean() -> None:
    """1.7e308 + 1.7e308 is beyond every float; half of it passed before, all of it after: +0.5."""
    base, cand = ([Run("t", passed, 1.7e308, round=number) for number in (1, 2)] for passed in (0.85e308, 1.7e308))
    comparison = weighed(base, cand)
    assert (comparison.verdict, comparison.net_gain) == ("improved", 0.5)


def test_verdict_of_a_non_finite_net_gain_is_regressed() -> None:
    assert verdict((), math.nan, Thresholds()) == "regressed"
    assert verdict((Regression("t", "missing", ""),), 9.0, Thresholds()) == "regressed"


def test_one_configuration_against_itself_promotes_nothing() -> None:
    def arm(label: str, config: str, tokens: float) -> Arm:
        return Arm(Side(label, "gate", (), config=config), (Run("t", 1, 2, cost=Cost(tokens=tokens)),))

    # Half the tokens: adj = 0.1 · (1 − 0.5) = 0.05, more than the 0.01 that `improved` needs.
    earned = weigh(arm("baseline", "a", 100), arm("candidate", "b", 50), Spec(), now=NOW).outcome
    by_chance = weigh(arm("baseline", "a", 100), arm("candidate", "a", 50), Spec(), now=NOW).outcome
    assert isinstance(earned, Comparison) and earned.verdict == "improved" and should_promote(earned)
    assert isinstance(by_chance, Comparison) and not should_promote(by_chance)
    assert any("same configuration" in each for each in by_chance.ambiguities)


@pytest.mark.parametrize(
    ("passed", "tokens", "detail"),
    [
        # ratio 1.6: adj = 0.1 · (1 − 1.6) = −0.06; 1 − 0.06 = 0.94
        (4, 160, "composite 1 → 0.94, by cost alone"),
        # 3 of 4 checks: 0.75 − 0.06 = 0.69, and the checks are worse too
        (3, 160, "composite 1 → 0.69"),
    ],
)
def test_a_drop_by_cost_alone_is_called_so(passed: float, tokens: float, detail: str) -> None:
    found = weighed([Run("t", 4, 4, cost=Cost(tokens=100))], [Run("t", passed, 4, cost=Cost(tokens=tokens))])
    assert found.verdict == "regressed"
    assert [each.detail for each in found.regressions if each.kind == "composite"] == [detail]


def test_cost_alone_is_no_hard_regression_if_a_drop_of_all_it_can_weigh_is_allowed() -> None:
    """Cost moves a composite by at most 0.1 (docs/scoring.md §3.1)."""
    costly = [Run("t", 4, 4, cost=Cost(tokens=1000))]
    allowed = Thresholds(regression_composite_drop=0.1)
    assert weighed([Run("t", 4, 4, cost=Cost(tokens=100))], costly, allowed).verdict == "neutral"
    worse = [Run("t", 3, 4, cost=Cost(tokens=1000))]
    assert weighed([Run("t", 4, 4, cost=Cost(tokens=100))], worse, allowed).verdict == "regressed"


def test_cost_that_does_not_count_is_shown_and_decides_nothing() -> None:
    cheap, dear = Cost(tokens=1_000, steps=2), Cost(tokens=9_000, steps=18)
    uncounted = Thresholds(cost_counts=False)
    found = weighed([Run("t", 1, 1, cost=cheap)], [Run("t", 1, 1, cost=dear)], uncounted)
    assert (found.verdict, found.net_gain, found.tasks[0].adjustment) == ("neutral", 0.0, 0.0)
    assert found.tasks[0].candidate is not None and found.tasks[0].candidate.cost.tokens == 9_000
    gained = weighed([Run("t", 0, 1, cost=cheap)], [Run("t", 1, 1, cost=dear)], uncounted)
    assert (gained.verdict, gained.net_gain) == ("improved", 1.0)


def test_cost_that_does_not_count_is_no_part_of_the_evidence_either() -> None:
    runs = [
        [Run("t", 1, 1, cost=Cost(tokens=tokens), round=number) for number in (1, 2, 3)] for tokens in (1_000, 9_000)
    ]
    tasks = weighed(*runs).tasks
    counted, uncounted = observe(*runs, tasks), observe(*runs, tasks, cost_counts=False)
    assert counted is not None and counted.observed.deltas.max() < 0
    assert uncounted is not None and not uncounted.observed.deltas.any()
