"""docs/scoring.md §1.6: the two readings of a board, tie groups and places."""

from __future__ import annotations

from typing import Any

import pytest


def pair_of(board: Any, key: str) -> Any:
    return next(pair for pair in board.pairs if pair.category == key)


def test_a_clear_difference_is_distinct_and_definite(make_board: Any, full: Any) -> None:
    board = make_board(*full("maker/one", 1.0, [0.9, 0.8] * 14, 1.0), *full("maker/two", 0.0, [0.1, 0.3] * 14, 0.0))
    for key in ("practice_exam", "architecture_design", "cdk_synth", "overall"):
        pair = pair_of(board, key)
        assert (pair.first, pair.second) == ("maker/one", "maker/two")
        assert (pair.declared, pair.measured) == ("definite", "distinct")
        assert pair.needed is None
    assert [row.tie_group for row in board.rows] == [1, 2]
    assert [row.rank_interval for row in board.rows] == [(1, 1), (2, 2)]


def test_declared_definite_may_be_measured_unresolved(make_board: Any, full: Any) -> None:
    # 30 of 50 against 24 of 50 on mostly other items: Δ = .12, far too little for 50 items
    one, two = [1.0] * 30 + [0.0] * 20, [0.0] * 20 + [1.0] * 24 + [0.0] * 6
    board = make_board(*full("maker/one", one, 0.5, 1.0), *full("maker/two", two, 0.5, 1.0))
    pair = pair_of(board, "practice_exam")
    assert (pair.declared, pair.measured) == ("definite", "unresolved")
    # se² = (34/50 − .12²)/49 with 20 + 14 discordant, so n = 50·(2.8016·se/.12)²
    assert pair.needed == pytest.approx(50 * 7.849 * (0.68 - 0.0144) / 49 / 0.0144, abs=1)
    assert pair.detectable > 0.3
    assert [row.tie_group for row in board.rows] == [1, 1]


def test_identical_answers_are_equivalent_where_enough_items_say_so(make_board: Any, full: Any) -> None:
    # Bonett-Price, nothing discordant: ±1.645·√(2/52/52) = ±.0447 at n = 50 (inside ±.05), ±.0554 at n = 40 (not)
    board = make_board(*full("maker/one", 1.0, 0.5, 1.0), *full("maker/two", 1.0, 0.5, 1.0))
    assert pair_of(board, "practice_exam").measured == "equivalent"
    assert pair_of(board, "cdk_synth").measured == "unresolved"
    assert pair_of(board, "architecture_design").measured == "unresolved"  # no spread: not estimable
    assert pair_of(board, "architecture_design").p is None
    assert [row.rank for row in board.rows] == [1, 1]


def test_holm_is_taken_over_all_pairs_of_a_category(make_board: Any, full: Any) -> None:
    # b = 7, c = 0: mid-p = 2·2⁻⁷ − 2⁻⁷ = .0078; alone distinct, as one of ten pairs 10·.0078 = .078 is not
    base = [0.0] * 50
    better = [1.0] * 7 + [0.0] * 43
    alone = make_board(*full("maker/a", better, 0.5, 1.0), *full("maker/b", base, 0.5, 1.0))
    assert pair_of(alone, "practice_exam").measured == "distinct"
    crowd = [each for name in "bcde" for each in full(f"maker/{name}", base, 0.5, 1.0)]
    found = pair_of(make_board(*full("maker/a", better, 0.5, 1.0), *crowd), "practice_exam")
    assert found.p == pytest.approx(2**-7) and found.p_holm == pytest.approx(10 * 2**-7)
    assert found.measured == "unresolved"


def test_categories_are_compared_even_when_a_row_lacks_another(make_board: Any, full: Any, log_row: Any) -> None:
    board = make_board(*full("maker/one", 1.0, 1.0, 1.0), log_row("practice_exam", 0.0, model="maker/two"))
    assert {pair.category for pair in board.pairs} == {"practice_exam"}


def test_ranks_are_repeatable_and_the_seed_is_recorded(make_board: Any, full: Any) -> None:
    logs = [
        *full("maker/one", [1, 0] * 25, [0.4, 0.6] * 14, [1, 0] * 20),
        *full("maker/two", [0, 1] * 25, 0.5, [0, 1] * 20),
    ]
    first, second, other = make_board(*logs), make_board(*logs), make_board(*logs, seed=5)
    assert [row.chance_first for row in first.rows] == [row.chance_first for row in second.rows]
    assert first.spec.seed == 20260107 and other.spec.seed == 5
    assert sum(row.chance_first or 0 for row in first.rows) == pytest.approx(1)
