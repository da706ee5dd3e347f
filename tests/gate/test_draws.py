"""Which tests must fail in which run."""

from __future__ import annotations

import pytest

from steelyard.gate.checks.draws import CHANCE, draws


# (2^R − 2)^T ≥ 1000: 1022 for ten runs of one test, 62² for six of two, 14³, 6⁴, and 2¹⁰ for two runs of ten tests.
@pytest.mark.parametrize(("tests", "runs"), [(1, 10), (2, 6), (3, 4), (4, 3), (9, 3), (10, 2), (200, 2)])
def test_there_are_as_many_runs_as_leave_hardly_a_chance_to_guess(tests: int, runs: int) -> None:
    names = [f"test_{number}" for number in range(tests)]
    drawn = [draws(names) for _ in range(200)]
    assert {len(each) for each in drawn} == {runs, runs + 1}
    assert (2**runs - 2) ** tests * CHANCE >= 1
    for name in names:
        assert all({name in run for run in each} == {True, False} for each in drawn)


def test_the_number_of_a_run_says_nothing_about_a_test() -> None:
    # Of 2,000 draws of a fair coin, 1,000 ± 5 · √500 ≈ 112 are heads.
    drawn = [draws(["a", "b"]) for _ in range(2_000)]
    for run in range(6):
        assert abs(sum("a" in each[run] for each in drawn) - 1_000) < 150
        assert abs(sum(("a" in each[run]) == ("b" in each[run]) for each in drawn) - 1_000) < 150


def test_one_run_has_no_test_of_the_suites_own_that_must_fail_and_its_place_is_drawn() -> None:
    places: set[int] = set()
    for _ in range(200):
        drawn = draws([*"abcdefghijklm", "added"], ["added"])
        assert any(run <= {"added"} for run in drawn)
        places.add(next(place for place, run in enumerate(drawn) if run <= {"added"}))
    assert places >= {0, 1, 2}


def test_a_suite_without_a_test_that_can_be_changed_runs_once() -> None:
    assert draws([]) == [frozenset()]
