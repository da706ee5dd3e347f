"""docs/scoring.md §1.6: reproducing a published board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.analysis.reproduce import reproduced
from steelyard.bench.report.data import json_text
from steelyard.bench.report.published import read_published
from steelyard.bench.report.reproduction import as_json, document
from steelyard.errors import IncomparableError
from steelyard.report import terminal


@pytest.fixture
def fresh(make_board: Any, full: Any) -> Any:
    return make_board(*full("maker/one", [1.0, 0.0] * 25, [0.4, 0.6] * 14, [1.0, 0.0] * 20))  # .5 everywhere


def published(tmp_path: Path, **row: Any) -> Any:
    path = tmp_path / "published.json"
    path.write_text(json.dumps({"models": [{"model": "maker/one", **row}]}))
    return read_published(path)


@pytest.mark.parametrize(
    ("overall", "verdict"),
    [
        (0.5, "within"),
        (0.55, "within"),
        (0.45, "within"),
        (0.550001, "outside"),
        (0.449, "outside"),
        (None, "unanswered"),
    ],
)
def test_the_tolerance_is_five_points_on_overall(tmp_path: Path, fresh: Any, overall: Any, verdict: str) -> None:
    row = {"practice_exam": 0.5, "architecture_design": 0.5, "cdk_synth": 0.5, "overall": overall}
    assert reproduced(published(tmp_path, **row), fresh).verdict == verdict


def test_a_board_reproduces_itself(tmp_path: Path, fresh: Any) -> None:
    path = tmp_path / "own.json"
    path.write_text(json_text(fresh))
    found = reproduced(read_published(path), fresh)
    assert found.verdict == "within"
    [model] = found.models
    assert model.overall.delta == 0 and model.overall.chance == pytest.approx(1.0) and not model.differs
    assert [line.key for line in model.categories] == ["practice_exam", "architecture_design", "cdk_synth"]


def test_chance_of_a_difference(tmp_path: Path, fresh: Any) -> None:
    # exam: SE of 25/50 is √(.25/50) = .0707, of a difference √2·.0707 = .1; Δ = −.1 is one SE: p = .317
    found = reproduced(published(tmp_path, practice_exam=0.6, overall=0.204), fresh)
    [line] = found.models[0].categories
    assert line.delta == -0.1 and line.agreement == "outside" and line.chance == pytest.approx(0.3173, abs=1e-4)


def test_overall_is_taken_over_the_published_categories(tmp_path: Path, fresh: Any) -> None:
    found = reproduced(published(tmp_path, practice_exam=0.5, overall=0.17), fresh)
    assert found.models[0].overall.fresh == 0.17 and found.verdict == "within"


def test_an_incomplete_fresh_run_cannot_answer(tmp_path: Path, make_board: Any, log_row: Any) -> None:
    board = make_board(log_row("practice_exam", [1.0] * 10, limited=True))
    found = reproduced(published(tmp_path, practice_exam=1.0, overall=0.34), board)
    assert found.verdict == "unanswered" and "not complete" in found.models[0].why


def test_a_partial_row_reproduces_a_row_that_is_as_partial(tmp_path: Path, make_board: Any, log_row: Any) -> None:
    board = make_board(log_row("practice_exam", [1.0] * 10, limited=True))
    path = tmp_path / "own.json"
    path.write_text(json_text(board))
    found = reproduced(read_published(path), board)
    assert found.verdict == "within" and found.models[0].partial == ("practice_exam",)
    assert "partial on both sides" in terminal.render(document(found), width=200)
    fewer = make_board(log_row("practice_exam", [1.0] * 9, limited=True))
    assert reproduced(read_published(path), fewer).verdict == "unanswered"


def test_the_fingerprint_differences_are_named(tmp_path: Path, fresh: Any, make_board: Any, full: Any) -> None:
    path = tmp_path / "own.json"
    path.write_text(json_text(fresh))
    other = make_board(*full("maker/one", 0.5, 0.5, 0.5, fingerprint={"dataset": "d2"}))
    [model] = reproduced(read_published(path), other).models
    assert "practice_exam: dataset" in model.differs


def test_a_published_overall_that_does_not_follow_is_reported(tmp_path: Path, fresh: Any) -> None:
    found = reproduced(published(tmp_path, practice_exam=0.5, overall=0.18), fresh)
    assert found.models[0].drift == pytest.approx(0.01)
    assert "off its own categories" in terminal.render(document(found))


def test_the_rounding_of_a_published_board_is_not_reported_as_a_difference(tmp_path: Path, fresh: Any) -> None:
    # .34 × .5 = .17; a board printed with four decimals may be off by up to .00005
    found = reproduced(published(tmp_path, practice_exam=0.5, overall=0.17005), fresh)
    text = terminal.render(document(found))
    assert found.models[0].drift == pytest.approx(0.00005) and "off its own categories" not in text
    assert "maker/one is within ±5% overall" in text


def test_nothing_in_common(tmp_path: Path, make_board: Any, log_row: Any) -> None:
    with pytest.raises(IncomparableError, match="no model is in both"):
        reproduced(published(tmp_path, overall=0.5), make_board(log_row("practice_exam", 1.0, model="maker/two")))


def test_models_on_only_one_side_are_listed(tmp_path: Path, fresh: Any, make_board: Any, full: Any) -> None:
    board = make_board(*full("maker/one", 0.5, 0.5, 0.5), *full("maker/new", 0.5, 0.5, 0.5))
    found = reproduced(published(tmp_path, overall=0.5), board)
    assert found.only_fresh == ("maker/new",) and json.dumps(as_json(found))


def test_a_difference_shows_on_which_side_of_the_tolerance_it_is() -> None:
    from steelyard.bench.analysis.reproduce import Line
    from steelyard.bench.report.reproduction import _delta

    def shown(delta: float | None) -> str:
        return _delta(Line("overall", 0.5, 0.5, delta, 0.05, "outside", None))

    assert (shown(0.0503), shown(-0.050001), shown(0.05), shown(0.12)) == ("+0.0503", "-0.050001", "+0.050", "+0.120")
    assert shown(None) == "–"
