"""Which tests must fail in which run."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from steelyard.gate.checks.draws import CHANCE, FIRST, another_number, another_text, draws


# (8 · 2^(R − 8))^T ≥ 1000: 8 · 2^7 = 1024 for one test, (8 · 4)² for two, 16³ for three.
@pytest.mark.parametrize(("tests", "runs"), [(1, 15), (2, 10), (3, 9)])
def test_there_are_as_many_runs_as_leave_hardly_a_chance_to_guess(tests: int, runs: int) -> None:
    names = [f"test_{number}" for number in range(tests)]
    drawn = [draws(names) for _ in range(60)]
    assert {len(each) for each in drawn} == {runs, runs + 1}
    assert (min(runs, FIRST) * 2 ** max(runs - FIRST, 0)) ** tests * CHANCE >= 1
    for name in names:
        assert all({name in run for run in each} == {True, False} for each in drawn)


# (T + 1)^S − T ≥ 1000, and one run more: 5⁵ − 4, 7⁴ − 6, 11³ − 10, 32³ − 31 (32² − 31 is 993), 33² − 32, 201² − 200.
@pytest.mark.parametrize(("tests", "runs"), [(4, 6), (6, 5), (10, 4), (31, 4), (32, 3), (200, 3)])
def test_of_more_tests_no_two_are_as_they_are_but_in_the_last_run(tests: int, runs: int) -> None:
    # So code that takes for right what tests have in common finds nothing: it would have to see two originals.
    names = {f"test_{number}" for number in range(tests)}
    for *before, last in (draws(names) for _ in range(60)):
        assert len(before) + 1 == runs and not last
        assert all(len(names - run) <= 1 for run in before)
        assert frozenset.union(*before) == names  # each is changed at least once


def test_each_of_more_tests_is_the_one_that_is_left_and_sometimes_none_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.gate.checks.draws.random", random.Random(1))
    # Of 1,000 runs 200 ± 5 · √160 ≈ 63 each, but for the draws that would never change a test.
    left = Counter(min({*"abcd"} - run, default="") for _ in range(200) for run in draws("abcd")[:-1])
    assert all(abs(left[each] - 200) < 80 for each in ["", *"abcd"])


def test_nobody_knows_in_which_run_a_test_is_first_seen_as_it_is() -> None:
    # Of 2,400 draws of one in eight, 300 ± 5 · √263 ≈ 81 are each.
    drawn = [draws(["a", "b"]) for _ in range(2_400)]
    firsts = {name: [next(i for i, run in enumerate(each) if name not in run) for each in drawn] for name in "ab"}
    for first in range(FIRST):
        assert abs(firsts["a"].count(first) - 300) < 100
    # Two tests agree by chance only, in one of eight draws.
    assert abs(sum(one == two for one, two in zip(firsts["a"], firsts["b"], strict=True)) - 300) < 100


def test_after_the_first_run_with_the_original_a_coin_decides() -> None:
    # Of 2,000 draws of a fair coin, 1,000 ± 5 · √500 ≈ 112 are heads.
    drawn = [draws(["a", "b"]) for _ in range(2_000)]
    for run in (8, 9):
        assert abs(sum("a" in each[run] for each in drawn) - 1_000) < 150
        assert abs(sum(("a" in each[run]) == ("b" in each[run]) for each in drawn) - 1_000) < 150


@pytest.mark.parametrize("text", ["Hello, world", "a", "ABC-1", "->", "ää", "", "x1"])
def test_another_text_differs_in_one_place_and_has_the_same_form(text: str) -> None:
    for other in {another_text(text) for _ in range(50)}:
        assert other != text
        if form(text).strip("-"):
            assert form(other) == form(text) and sum(a != b for a, b in zip(text, other, strict=True)) == 1
        else:
            assert other.startswith(text) and len(other) == len(text) + 1


def form(text: str) -> str:
    kinds = (("9", str.isdigit), ("a", str.islower), ("A", str.isupper))
    return "".join(next((kind for kind, holds in kinds if each.isascii() and holds(each)), "-") for each in text)


@pytest.mark.parametrize("text", ["0", "4", "10", "1000", "0.5", "3.14", "2.5e-05", "0.0", "0.1234567890123456"])
def test_another_number_has_as_many_digits_and_is_another_number(text: str) -> None:
    others = {another_number(text) for _ in range(200)}
    assert all(float(other) != float(text) and form(other) == form(text) for other in others)
    assert len(others) > 7 and not any(other.startswith("0") and other[1:2].isdigit() for other in others)


def test_one_run_has_no_test_of_the_suites_own_that_must_fail_and_its_place_is_drawn() -> None:
    places: set[int] = set()
    for _ in range(200):
        drawn = draws([*"ab", "added"], ["added"])
        assert any(run <= {"added"} for run in drawn)
        places.add(next(place for place, run in enumerate(drawn) if run <= {"added"}))
    assert places >= {0, 1, 2}


def test_tests_that_are_not_the_suites_own_fail_by_a_coin_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.gate.checks.draws.random", random.Random(1))
    drawn = [run for _ in range(60) for run in draws([*"abcd", "added"], ["added"])]
    assert {"added" in run for run in drawn if run <= {"added"}} == {True, False}
    assert {"added" in run for run in drawn if not run <= {"added"}} == {True, False}


def test_a_suite_without_a_test_that_can_be_changed_runs_once() -> None:
    assert draws([]) == [frozenset()]
