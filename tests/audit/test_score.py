"""The law of the audit (docs/scoring.md §2.1–2.2)."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.audit.model import Claim, Finding, Marks, Output, Ruling, RunResult
from steelyard.audit.score import mean, rates, run_score, spread, stability, weighed

from .material import output, problem, problems


@pytest.mark.parametrize(
    ("points", "bonus", "penalty", "score"),
    [
        ([], 0, 0, 0.0),
        ([1.0, 0.5, 0.0], 0, 0, 1.5),
        ([1.0] * 10, 5, 0, 12.5),
        ([1.0] * 10, 9, 0, 12.5),  # only five bonuses count
        ([0.0], 0, 7, -3.5),  # no cap on penalties, not clamped
        ([0.5], 1, 1, 0.5),
    ],
)
def test_run_score(points: list[float], bonus: int, penalty: int, score: float) -> None:
    assert run_score(points, bonus, penalty) == score


def test_two_runs_are_the_seed_formula() -> None:
    scores = [7.5, 9.0]
    assert mean(scores) == 8.25
    assert spread(scores) == pytest.approx(abs(7.5 - 9.0) / math.sqrt(2), abs=1e-12)
    assert spread([8.0]) is None
    # Three runs: deviations −1.5, −0.5, 2.0 from 6.5 → (2.25 + 0.25 + 4) / 2 = 3.25.
    assert spread([5.0, 6.0, 8.5]) == pytest.approx(math.sqrt(3.25))


@pytest.mark.parametrize(
    ("sd", "level"),
    [(None, "unknown"), (0.0, "high"), (0.5, "high"), (0.500001, "medium"), (1.0, "medium"), (1.000001, "low")],
)
def test_stability(sd: float | None, level: str) -> None:
    assert stability(sd) == level
    # 1.1 - 0.6 is a hair above 0.5 in binary; comparisons are made on six decimals.
    assert 1.1 - 0.6 > 0.5 and stability(1.1 - 0.6) == "high"


@st.composite
def opinions(draw: st.DrawFn) -> tuple[int, Output, Marks]:
    planted, claimed = draw(st.integers(1, 4)), draw(st.integers(0, 8))
    if claimed == 0:
        return planted, output(0), Marks()
    claim = st.builds(
        Claim,
        st.integers(1, planted).map(lambda n: f"P{n:02d}"),
        st.integers(1, claimed),
        st.sampled_from(["detected", "partial"]),
    )
    ruling = st.builds(Ruling, st.integers(1, claimed), st.sampled_from(["bonus", "penalty", "neither"]))
    return (
        planted,
        output(claimed),
        Marks(tuple(draw(st.lists(claim, max_size=8))), tuple(draw(st.lists(ruling, max_size=8)))),
    )


def summary(run: RunResult) -> tuple[object, ...]:
    return (
        run.score,
        tuple((cell.problem, cell.mark) for cell in run.cells),
        run.counted("bonus"),
        run.counted("penalty"),
    )


@settings(max_examples=80, deadline=None)
@given(opinions(), st.randoms(use_true_random=False))
def test_permuting_findings_and_problems_changes_nothing(found: tuple[int, Output, Marks], rng: random.Random) -> None:
    planted, text, marks = found
    size = len(text.findings)
    unique = {ruling.finding: ruling for ruling in reversed(marks.rulings)}
    marks = Marks(marks.claims, tuple(unique.values()))
    places = dict(zip(range(1, size + 1), rng.sample(range(1, size + 1), size), strict=True))
    moved = sorted(
        (Finding(places[each.index], each.text, each.title, 1, 1) for each in text.findings),
        key=lambda each: each.index,
    )
    claims = [Claim(claim.problem, places[claim.finding], claim.mark) for claim in marks.claims]
    rulings = [Ruling(places[ruling.finding], ruling.verdict) for ruling in marks.rulings]
    rng.shuffle(claims)
    rng.shuffle(rulings)
    one = weighed(problems(planted), text, marks)
    other = weighed(problems(planted), Output("x", "", tuple(moved)), Marks(tuple(claims), tuple(rulings)))
    assert summary(one) == summary(other)
    turned = weighed(problems(planted)[::-1], text, marks)
    assert turned.score == one.score
    assert {cell.problem: cell.mark for cell in turned.cells} == {cell.problem: cell.mark for cell in one.cells}


@settings(max_examples=80, deadline=None)
@given(opinions(), st.sampled_from(["detected", "partial", "bonus"]), st.integers(1, 4))
def test_a_further_right_finding_never_lowers_a_score(found: tuple[int, Output, Marks], kind: str, number: int) -> None:
    planted, text, marks = found
    before = weighed(problems(planted), text, marks).score
    index = len(text.findings) + 1
    more = Output("x", "", (*text.findings, Finding(index, "something entirely new", "new", 1, 1)))
    name = f"P{min(number, planted):02d}"
    added = (
        Marks(marks.claims, (*marks.rulings, Ruling(index, "bonus")))
        if kind == "bonus"
        else Marks((*marks.claims, Claim(name, index, kind)), marks.rulings)  # type: ignore[arg-type]
    )
    assert weighed(problems(planted), more, added).score >= before


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 12), st.integers(0, 30))
def test_bonus_cap_and_uncapped_penalty(bonus: int, penalty: int) -> None:
    text = output(bonus + penalty)
    rulings = [Ruling(index + 1, "bonus" if index < bonus else "penalty", "why") for index in range(bonus + penalty)]
    run = weighed(problems(3), text, Marks(rulings=tuple(rulings)))
    assert run.score == 0.5 * min(bonus, 5) - 0.5 * penalty
    assert len(run.extra("bonus")) == bonus
    assert run.counted("bonus") == min(bonus, 5)


def test_a_used_finding_is_neither_bonus_nor_penalty() -> None:
    marks = Marks((Claim("P01", 1, "detected"),), (Ruling(1, "bonus"), Ruling(2, "penalty")))
    run = weighed(problems(1), output(2), marks)
    assert run.score == 0.5
    assert [each.finding for each in run.extras] == [2]


def test_a_second_finding_on_the_same_problem_counts_for_nothing() -> None:
    marks = Marks((Claim("P01", 1, "detected"), Claim("P01", 2, "partial")), (Ruling(2, "penalty"),))
    assert weighed(problems(1), output(2), marks).score == 1.0


def test_the_same_words_ten_times_are_one_bonus_or_one_penalty() -> None:
    texts = tuple(Finding(n, f"{n}. the door has no lock", "t", n, n) for n in range(1, 11))
    for verdict, score in (("bonus", 0.5), ("penalty", -0.5)):
        rulings = tuple(Ruling(n, verdict) for n in range(1, 11))  # type: ignore[arg-type]
        assert weighed(problems(1), Output("x", "", texts), Marks(rulings=rulings)).score == score


def test_rates_by_hand() -> None:
    # Planted: a critical (found ○), a minor (△), a minor (×). Four distinct findings, one of them a bonus.
    planted = (problem(1, "Critical"), problem(2, "Minor"), problem(3, "Minor"))
    marks = Marks((Claim("P01", 1, "detected"), Claim("P02", 2, "partial")), (Ruling(3, "bonus"),))
    found = rates(planted, [weighed(planted, output(4), marks)])
    assert found.recall == pytest.approx(1.5 / 3)
    assert found.precision == pytest.approx((1.5 + 1) / 4)
    assert found.f1 == pytest.approx(2 * 0.5 * 0.625 / 1.125)
    assert found.weighted_recall == pytest.approx((3 + 0.5) / 5)


def test_nothing_claimed_and_nothing_planted_have_no_rates() -> None:
    silent = rates(problems(2), [weighed(problems(2), output(0), Marks())])
    assert (silent.precision, silent.recall) == (None, 0.0)
    clean = rates((), [weighed((), output(1), Marks())])
    assert (clean.precision, clean.recall, clean.f1) == (0.0, None, None)
