"""Drift between two boards: the same items are paired, and what they cannot tell is undecided."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard.bench.analysis.drift import Move, moves, verdict
from steelyard.bench.report.data import json_text
from steelyard.bench.report.drift import document
from steelyard.cli.main import main
from steelyard.errors import IncomparableError
from steelyard.report import markdown

Write = Callable[..., Path]


@pytest.fixture
def boards(make_board: Any, full: Any, tmp_path: Path) -> Write:
    """Writes a board of one model: its exam answers differ, the other categories never do."""

    def write(name: str, exam: Sequence[float], *, items: bool = True, **more: Any) -> Path:
        board = make_board(*full("maker/one", list(exam), [0.4, 0.6] * 14, [1.0, 0.0] * 20, **more))
        data = json.loads(json_text(board))
        if not items:
            for row in data["models"]:
                del row["items"]
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(data))
        return path

    return write


def first(passes: int) -> list[float]:
    return [1.0] * passes + [0.0] * (50 - passes)


def by_key(scores: tuple[Move, ...]) -> dict[str, Move]:
    return {move.key: move for move in scores}


def test_ten_items_lost_and_none_gained_have_moved(boards: Write) -> None:
    # b = 0, c = 10: mid-p = 2·(½)^10 − (½)^10 = 0.00098, and Holm multiplies it by at most 4.
    scores = by_key(moves(boards("before", first(35)), boards("after", first(25))))
    exam = scores["practice_exam"]
    assert (exam.reading, exam.items) == ("moved", 50)
    assert exam.delta == pytest.approx(-0.2)
    assert exam.high is not None and exam.high < 0


def test_a_move_that_item_sampling_hides_is_found(boards: Write) -> None:
    # 35/50 has the Wilson interval .5625–.8090, and 29/50 = .58 lies inside; but the six items lost are six of six:
    # mid-p = (½)^6 = .0156, times at most 3 scores with a difference = .047.
    exam = by_key(moves(boards("before", first(35)), boards("after", first(29))))["practice_exam"]
    assert exam.reading == "moved"


def test_flips_both_ways_are_undecided(boards: Write) -> None:
    # Eight items lost and eight gained: Δ 0, but the 90% interval is far wider than ± 0.05.
    after = [1.0] * 27 + [0.0] * 8 + [1.0] * 8 + [0.0] * 7
    scores = moves(boards("before", first(35)), boards("after", after))
    exam = by_key(scores)["practice_exam"]
    assert (exam.delta, exam.reading) == (0, "undecided")
    assert verdict(scores) == "undecided"
    assert "undecided" in markdown.render(document(scores))


def test_equal_items_are_steady(boards: Write) -> None:
    scores = moves(boards("before", first(35)), boards("after", first(35)))
    assert {move.reading for move in scores} == {"steady"}
    assert set(by_key(scores)) == {"practice_exam", "architecture_design", "cdk_synth", "overall"}
    assert "no score has moved" in markdown.render(document(scores))


def test_a_board_against_its_copy_is_said(boards: Write, tmp_path: Path) -> None:
    data = json.loads(boards("before", first(35)).read_text())
    for name, seconds in (("one", 0.5), ("copy", 0.5), ("again", 0.6)):
        data["models"][0]["latency"] = {"practice_exam": {"median_s": seconds, "items_s": {}}}
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    said = [
        markdown.render(document(moves(tmp_path / "one.json", tmp_path / f"{name}.json"))) for name in ("copy", "again")
    ]
    assert ["the same runs: maker/one" in text for text in said] == [True, False]


def test_the_overall_is_the_weighted_sum_of_the_paired_categories(boards: Write) -> None:
    scores = by_key(moves(boards("before", first(35)), boards("after", first(25))))
    assert scores["overall"].delta == pytest.approx(0.34 * -0.2)
    assert scores["overall"].items == 50 + 28 + 40


def test_boards_without_items_or_logs_are_judged_by_item_sampling(boards: Write) -> None:
    # .54 lies outside .5625–.8090 and .58 inside; inside shows nothing, for the items are the same.
    before = boards("before", first(35), items=False)
    outside = by_key(moves(before, boards("outside", first(27))))["practice_exam"]
    inside = by_key(moves(before, boards("inside", first(29))))["practice_exam"]
    assert (outside.reading, outside.items) == ("moved", None)
    assert inside.reading == "undecided"


def test_boards_without_intervals_cannot_be_compared(tmp_path: Path, boards: Write) -> None:
    path = tmp_path / "bare.json"
    path.write_text('{"models": [{"model": "maker/one", "overall": 0.5}]}')
    with pytest.raises(IncomparableError, match="share no score"):
        moves(path, boards("after", first(30)))


def test_another_dataset_cannot_be_compared(tmp_path: Path, boards: Write) -> None:
    before = boards("before", first(35))
    data = json.loads(before.read_text())
    for mark in data["models"][0]["fingerprints"].values():
        mark["dataset"] = "another"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(data))
    with pytest.raises(IncomparableError, match="the fingerprints differ in dataset"):
        moves(before, other)


@pytest.mark.parametrize(
    ("after", "code"), [(first(35), 0), (first(25), 1), ([0.0] * 3 + first(35)[3:-3] + [1.0] * 3, 3)]
)
def test_the_command_ends_in_1_on_a_move_and_in_3_if_undecided(boards: Write, after: list[float], code: int) -> None:
    result = CliRunner().invoke(
        main, ["bench", "compare", str(boards("before", first(35))), str(boards("after", after))]
    )
    assert result.exit_code == code, result.output
