from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from steelyard.bench.analysis import diff
from steelyard.bench.model import CATEGORIES
from steelyard.bench.read.answers import VEILED, Answer
from steelyard.bench.report.difference import document
from steelyard.errors import IncomparableError
from steelyard.outcome import Scored
from steelyard.report import terminal


def said(text: str) -> Answer:
    """An answer as if read from a log."""
    return Answer("i", 1, "question", (), text, Scored(1.0), "", None, (), None, None)


class Answers:
    """A store of answers whose logs nobody wrote."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def answer(self, path: str, item: str, epoch: int, scorer: str) -> Answer:
        return said(self.text or f"{item} in {path}")


@pytest.fixture
def sides(make_board: Any, log_row: Any) -> Any:
    one = make_board(log_row("practice_exam", [1.0, 1.0, 0.0] + [1.0] * 47, path="one.eval")).rows[0]
    other = make_board(log_row("practice_exam", [1.0, 0.0, 1.0] + [1.0] * 47, path="two.eval")).rows[0]
    return one, other


def test_flipped_items_carry_both_answers(sides: Any) -> None:
    found = diff.difference(sides, ("A", "B"), cast(Any, Answers()))
    assert [(flip.id, flip.first, flip.second) for flip in found.flips] == [
        ("practice_exam-01", 1.0, 0.0),
        ("practice_exam-02", 0.0, 1.0),
    ]
    assert found.flips[0].first_answer == "practice_exam-01 in one.eval"
    assert found.compared == {"practice_exam": 50}
    text = terminal.render(document(found))
    assert "2 of 50 items flipped" in text and "practice_exam-01" in text


def test_the_same_runs_on_both_sides_are_said(sides: Any) -> None:
    timed = [
        replace(row, results={key: replace(result, latency={"q": 0.5}) for key, result in row.results.items()})
        for row in sides
    ]
    same = diff.difference((timed[0], timed[0]), ("A", "A"), cast(Any, Answers()))
    assert "the same runs: Practice Exam" in terminal.render(document(same))
    assert not diff.difference((timed[0], timed[1]), ("A", "B"), cast(Any, Answers())).same


@pytest.mark.parametrize(
    ("key", "first", "second", "expected"),
    [
        ("cdk_synth", 1.0, 0.5, True),  # two epochs, one failed
        ("cdk_synth", 0.5, 0.0, False),
        ("architecture_design", 0.5, 0.6, False),  # .10 is not more than .10
        ("architecture_design", 0.5, 0.61, True),
    ],
)
def test_what_counts_as_flipped(key: str, first: float, second: float, expected: bool) -> None:
    assert diff.flipped(CATEGORIES[key], first, second) is expected


def test_other_fingerprints_are_not_compared(make_board: Any, log_row: Any) -> None:
    one = make_board(log_row("practice_exam", 1.0)).rows[0]
    other = make_board(log_row("practice_exam", 0.0, fingerprint={"dataset": "d2"})).rows[0]
    with pytest.raises(IncomparableError, match="dataset"):
        diff.difference((one, other), ("A", "B"), cast(Any, Answers()))


def test_nothing_shared(make_board: Any, log_row: Any) -> None:
    one = make_board(log_row("practice_exam", 1.0)).rows[0]
    other = make_board(log_row("cdk_synth", 0.0)).rows[0]
    with pytest.raises(IncomparableError, match="share no comparable item"):
        diff.difference((one, other), ("A", "B"), cast(Any, Answers()))


def test_the_ceilings_answers_are_references_and_stay_hidden(make_board: Any, log_row: Any) -> None:
    answers = cast(Any, Answers("the reference"))
    floor = make_board(log_row("cdk_synth", 0.0, model="steelyard/floor")).rows[0]
    ceiling = make_board(log_row("cdk_synth", 1.0, model="steelyard/ceiling")).rows[0]
    hidden = diff.difference((floor, ceiling), ("A", "B"), answers).flips[0]
    assert (hidden.first_answer, hidden.second_answer) == ("the reference", VEILED)
    shown = diff.difference((floor, ceiling), ("A", "B"), answers, reveal=True).flips[0]
    assert shown.second_answer == "the reference"
