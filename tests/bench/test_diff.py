from __future__ import annotations

from typing import Any

import pytest

from steelyard.bench import diff
from steelyard.errors import IncomparableError
from steelyard.report import terminal


class Said:
    """Stands in for an answer read from a log."""

    def __init__(self, text: str) -> None:
        self.answer = text


@pytest.fixture
def sides(make_board: Any, log_row: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(diff, "read_answer", lambda path, item, epoch, scorer: Said(f"{item} in {path}"))
    one = make_board(log_row("practice_exam", [1.0, 1.0, 0.0] + [1.0] * 47, path="one.eval")).rows[0]
    other = make_board(log_row("practice_exam", [1.0, 0.0, 1.0] + [1.0] * 47, path="two.eval")).rows[0]
    return one, other


def test_flipped_items_carry_both_answers(sides: Any) -> None:
    found = diff.difference(sides, ("A", "B"))
    assert [(flip.id, flip.first, flip.second) for flip in found.flips] == [
        ("practice_exam-01", 1.0, 0.0),
        ("practice_exam-02", 0.0, 1.0),
    ]
    assert found.flips[0].first_answer == "practice_exam-01 in one.eval"
    assert found.compared == {"practice_exam": 50}
    text = terminal.render(diff.document(found))
    assert "2 of 50 items flipped" in text and "practice_exam-01" in text


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
    assert diff.flipped(key, first, second) is expected


def test_other_fingerprints_are_not_compared(make_board: Any, log_row: Any) -> None:
    one = make_board(log_row("practice_exam", 1.0)).rows[0]
    other = make_board(log_row("practice_exam", 0.0, fingerprint={"dataset": "d2"})).rows[0]
    with pytest.raises(IncomparableError, match="dataset"):
        diff.difference((one, other), ("A", "B"))


def test_nothing_shared(make_board: Any, log_row: Any) -> None:
    one = make_board(log_row("practice_exam", 1.0)).rows[0]
    other = make_board(log_row("cdk_synth", 0.0)).rows[0]
    with pytest.raises(IncomparableError, match="share no comparable item"):
        diff.difference((one, other), ("A", "B"))
