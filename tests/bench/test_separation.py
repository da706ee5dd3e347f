"""A board says when its items cannot tell its best rows apart, and how many would (§1.8)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.bench.model import Board
from steelyard.bench.report import FORMATS
from steelyard.bench.report.page import index as page
from steelyard.bench.report.separation import sentences


def scores(count: int, *wrong: int) -> list[float]:
    return [0.0 if place in wrong else 1.0 for place in range(count)]


@pytest.fixture(name="close")
def _close(make_board: Any, full: Any) -> Board:
    """Two strong rows that differ on eight of forty CDK items, six to two."""
    one = full("maker/a", 1.0, 1.0, scores(40, 0, 1))
    other = full("maker/b", 1.0, 1.0, scores(40, 2, 3, 4, 5, 6, 7))
    return make_board(*one, *other)


def test_the_items_that_would_separate_them_follow_the_power_formula(close: Board) -> None:
    # STATISTICS §5: psi = 8/40 = .2, delta = 4/40 = .1; variance of one paired difference (.2 - .01) * 40/39 = .19487;
    # n = 7.849 * .19487 / .01 = 152.95. Overall: delta .33 * .1 = .033; the exam and the designs, where all items are
    # equal, have the Bonett-Price SE sqrt(2/(n+2)/(n+2)): .027196 and .047140; CDK has sqrt(.19487/40) = .069798;
    # SE = sqrt((.34*.027196)^2 + (.33*.047140)^2 + (.33*.069798)^2) = .029292;
    # n = 7.849 * 118 * .029292^2 / .033^2 = 729.7.
    [cdk] = [pair for pair in close.pairs if pair.category == "cdk_synth"]
    [overall] = [pair for pair in close.pairs if pair.category == "overall"]
    assert (cdk.delta, cdk.separates_at) == (0.1, 153)
    assert (overall.delta, overall.separates_at) == (0.033, 730)


def test_every_output_says_it(close: Board) -> None:
    assert close.separation is not None and close.separation.saturated
    [saturated, inseparable] = sentences(close)
    assert saturated.startswith("Saturated: the best 2 rows are within 5% of the maximum, above all in Practice Exam")
    assert inseparable == (
        "Not separable: maker/a and maker/b cannot be told apart on these 118 items. About 730 items like these would "
        "separate maker/a and maker/b, if +0.033 is the true difference, with 80% power."
    )
    for text in (FORMATS["markdown"](close), page._standings(close)):
        assert saturated.split(",")[0] in text and "About 730 items" in text
    found = json.loads(FORMATS["json"](close))["separation"]
    assert (found["top"], found["saturated"], found["separable"]) == (["maker/a", "maker/b"], True, False)
    assert found["saturated_categories"] == ["practice_exam", "architecture_design"]
    assert [pair["items_needed"] for pair in found["inseparable"]] == [730]


def test_rows_that_are_told_apart_need_no_words(make_board: Any, full: Any) -> None:
    board = make_board(*full("maker/a", 0.9, 0.9, scores(40)), *full("maker/b", 0.1, 0.2, scores(40, *range(30))))
    assert board.separation is not None and not board.separation.inseparable
    assert sentences(board) == ()


def test_the_same_answers_are_not_helped_by_more_items(make_board: Any, full: Any) -> None:
    board = make_board(*full("maker/a", 0.5, 0.5, scores(40, 1, 2, 3)), *full("maker/b", 0.5, 0.5, scores(40, 1, 2, 3)))
    [text] = sentences(board)
    assert "differ on no item" in text


def test_rows_that_differ_alike_on_every_item_are_not_called_equal(make_board: Any, full: Any) -> None:
    # A difference without variance has no interval, so it decides nothing, and no number of items follows from it.
    [text] = sentences(make_board(*full("maker/a", 0.9, 0.9, 0.9), *full("maker/b", 0.5, 0.5, 0.5)))
    assert text.endswith("cannot be told apart on these 118 items.")


def test_equal_scores_on_different_items_are_measured_by_the_margin(make_board: Any, full: Any) -> None:
    # delta 0: the declared margin of .05 instead; psi = 20/40 and no drift, variance .5 * 40/39 = .51282,
    # SE = .33 * sqrt(.51282/40) = .037366; n = 7.849 * 118 * .037366^2 / .05^2 = 517.3.
    one = full("maker/a", 0.5, 0.5, scores(40, *range(10)))
    board = make_board(*one, *full("maker/b", 0.5, 0.5, scores(40, *range(10, 20))))
    [text] = sentences(board)
    assert "About 518 items" in text and "5 points apart" in text


def test_one_ranked_row_has_nothing_to_separate(make_board: Any, full: Any) -> None:
    board = make_board(*full("maker/a", 1.0, 1.0, 1.0), *full("steelyard/ceiling", 1.0, 1.0, 1.0))
    assert board.separation is None and sentences(board) == ()
    assert json.loads(FORMATS["json"](board))["separation"] is None
