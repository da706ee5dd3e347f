from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.analysis.drift import document, moves
from steelyard.bench.report.data import json_text
from steelyard.errors import IncomparableError
from steelyard.report import markdown


@pytest.fixture
def boards(make_board: Any, full: Any, tmp_path: Path) -> Any:
    def write(name: str, exam: int) -> Path:
        answers = [1.0] * exam + [0.0] * (50 - exam)
        board = make_board(*full("maker/one", answers, [0.4, 0.6] * 14, [1.0, 0.0] * 20))
        path = tmp_path / f"{name}.json"
        path.write_text(json_text(board))
        return path

    return write


def test_a_score_inside_its_interval_stays_quiet(boards: Any) -> None:
    # 35/50 has the Wilson interval .5625–.8090: 29/50 = .58 is inside
    found = moves(boards("before", 35), boards("after", 29))
    assert not [move.key for move in found if move.left]
    assert "every score is inside" in markdown.render(document(found))


def test_a_score_outside_is_named_with_both_numbers(boards: Any) -> None:
    found = moves(boards("before", 35), boards("after", 27))  # .54 < .5625
    assert [move.key for move in found if move.left] == ["practice_exam"]
    text = markdown.render(document(found))
    assert "70.0%" in text and "54.0%" in text and "56.2–80.9%" in text


def test_boards_without_intervals_cannot_be_compared(tmp_path: Path, boards: Any) -> None:
    path = tmp_path / "bare.json"
    path.write_text('{"models": [{"model": "maker/one", "overall": 0.5}]}')
    with pytest.raises(IncomparableError, match="no model with an interval"):
        moves(path, boards("after", 30))
