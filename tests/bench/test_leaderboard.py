"""docs/scoring.md §1.7: the leaderboard as data."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard import artifact
from steelyard.bench.board import run_id
from steelyard.bench.report.data import csv_text, json_text, leaderboard
from steelyard.bench.report.document import heuristic_note
from steelyard.bench.report.published import read_published
from steelyard.errors import ArtifactError, InputError

PUBLISHED = {
    "_metadata": {
        "generated_at": "2026-01-07T00:00:00Z",
        "run_id": "local-20260107-000000",
        "model_count": 1,
        "categories": {
            "practice_exam": {
                "name": "Practice Exam",
                "description": "questions",
                "weight": 0.34,
                "sample_count": 50,
                "scoring": "binary",
                "confidence": "high",
                "margin": "±5%",
            }
        },
    },
    "models": [{"model": "maker/one", "practice_exam": 0.85, "overall": 0.289}],
}


@pytest.fixture
def data(make_board: Any, full: Any, log_row: Any) -> dict[str, Any]:
    board = make_board(
        *full("maker/one", [1.0, 0.0] * 25, 0.5, 1.0),
        *full("steelyard/floor", 0.0, 0.1, 0.0),
        log_row("practice_exam", [1.0] * 10, model="maker/part", limited=True),
        log_row("architecture_design", [None] * 28, model="maker/lost"),
    )
    return json.loads(json_text(board))


def model(data: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in data["models"] if each["model"] == name)


def test_metadata_fields(data: dict[str, Any]) -> None:
    meta = data["_metadata"]
    assert meta["schema_version"] == 1 and meta["model_count"] == 4 and meta["run_id"] == "local-test"
    assert meta["categories"]["practice_exam"] == {
        "name": "Practice Exam",
        "description": meta["categories"]["practice_exam"]["description"],
        "weight": 0.34,
        "sample_count": 50,
        "scoring": "binary",
        "confidence": "high",
        "margin": "±5%",
        "expected_variance": "±2–5%",
    }
    assert meta["categories"]["architecture_design"]["margin"] == "±10%"


def test_a_full_row(data: dict[str, Any]) -> None:
    row = model(data, "maker/one")
    assert row["practice_exam"] == 0.5 and row["overall"] == pytest.approx(0.34 * 0.5 + 0.33 * 0.5 + 0.33, abs=1e-6)
    assert row["complete"] and row["rank"] == 1 and row["tie_group"] == 1 and not row["baseline"]
    assert row["coverage"] == {"practice_exam": 1.0, "architecture_design": 1.0, "cdk_synth": 1.0}
    assert row["scorers"]["practice_exam"] == "choice@1"
    assert row["intervals"]["practice_exam"]["low"] == pytest.approx(0.3664, abs=1e-4)  # Wilson 25/50
    assert len(row["logs"]) == 3


def test_only_categories_that_were_run_have_a_number(data: dict[str, Any]) -> None:
    row = model(data, "maker/part")
    assert "cdk_synth" not in row and row["missing"] == ["architecture_design", "cdk_synth"]
    assert row["coverage"] == {"practice_exam": 0.2} and row["rank"] is None and not row["complete"]


def test_withheld_is_null(data: dict[str, Any]) -> None:
    row = model(data, "maker/lost")
    assert row["architecture_design"] is None and row["overall"] is None
    assert row["unscored"] == {"architecture_design": 28}


def test_baselines_are_marked(data: dict[str, Any]) -> None:
    row = model(data, "steelyard/floor")
    assert row["baseline"] and row["rank"] is None and row["complete"]


def test_every_write_is_checked_against_the_schema(monkeypatch: Any, make_board: Any, full: Any) -> None:
    board = make_board(*full("maker/one", 1.0, 1.0, 1.0))
    monkeypatch.setattr("steelyard.bench.report.data._rounded", lambda value: 7.0)
    with pytest.raises(ArtifactError, match=r"leaderboard\.schema\.json"):
        json_text(board)


def test_our_rows_must_have_our_fields() -> None:
    ours = json.loads(json.dumps(PUBLISHED))
    ours["_metadata"]["schema_version"] = 1
    with pytest.raises(ArtifactError, match="complete"):
        artifact.validate(ours, "leaderboard")


def test_boards_of_the_published_shape_are_valid_and_read(tmp_path: Path) -> None:
    artifact.validate(PUBLISHED, "leaderboard")
    path = tmp_path / "published.json"
    path.write_text(json.dumps(PUBLISHED))
    row = read_published(path)["maker/one"]
    assert row.scores == {"practice_exam": 0.85} and row.overall == 0.289 and row.drift == 0.0


def test_a_board_whose_overall_does_not_follow_is_read_and_the_difference_known(tmp_path: Path) -> None:
    path = tmp_path / "published.json"
    path.write_text(json.dumps({"models": [{"model": "m", "practice_exam": 0.85, "overall": 0.34}]}))
    assert read_published(path)["m"].drift == pytest.approx(0.34 - 0.289)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "no list of models"),
        ("{}", "no list of models"),
        ('{"models": []}', "no list of models"),
        ('{"models": [5]}', r"models\[0\] is not an object"),
        ('{"models": [{"overall": 0.5}]}', "names no model"),
        ('{"models": [{"model": "m", "overall": 72}]}', "outside 0 to 1"),
        ('{"models": [{"model": "m", "overall": "0.5"}]}', "not a number"),
        ('{"models": [{"model": "m", "overall": true}]}', "not a number"),
        ('{"models": [{"model": "m", "overall": NaN}]}', "not valid JSON"),
        ('{"models": [{"model": "m", "overall": 0.1}, {"model": "m", "overall": 0.2}]}', "duplicate model 'm'"),
    ],
)
def test_unusable_boards_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "published.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_published(path)


def test_csv(make_board: Any, full: Any, log_row: Any) -> None:
    board = make_board(*full("maker/one", [1.0, 0.0] * 25, 0.5, 1.0), log_row("cdk_synth", 1.0, model="=cmd()"))
    rows = list(csv.DictReader(io.StringIO(csv_text(board))))
    assert rows[0]["model"] == "maker/one" and rows[0]["practice_exam"] == "0.5" and rows[0]["complete"] == "true"
    assert rows[1]["model"] == "'=cmd()"  # a spreadsheet must not run a model's name
    assert rows[1]["practice_exam"] == "" and rows[1]["missing"] == "practice_exam architecture_design"


def test_heuristic_scores_are_called_so(make_board: Any, full: Any, log_row: Any) -> None:
    judged = log_row("architecture_design", 0.5, model="maker/judged", scorer="llm_judge_scorer")
    board = make_board(*full("maker/one", 1.0, 0.5, 1.0))
    assert leaderboard(board)["models"][0]["heuristic"] == ["architecture_design"]
    assert next(csv.DictReader(io.StringIO(csv_text(board))))["heuristic"] == "architecture_design"
    assert heuristic_note(board) == ["Arch: a heuristic score, computed without a model."]
    assert heuristic_note(make_board(judged)) == []


def test_run_id(monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    moment = datetime(2026, 1, 7, 12, 30, 5, tzinfo=UTC)
    monkeypatch.delenv("GITHUB_RUN_ID", raising=False)
    assert run_id(moment) == "local-20260107-123005"
    assert re.fullmatch(r"local-\d{8}-\d{6}", run_id(moment))
    monkeypatch.setenv("GITHUB_RUN_ID", "99")
    assert run_id(moment) == "99"


def test_intent_stands_beside_the_score_and_is_marked_where_they_part(make_board: Any, log_row: Any) -> None:
    """One small app as the answer to all 40 prompts: it synthesizes, and does nothing that was asked for."""
    from steelyard.bench.report.document import document
    from steelyard.report import terminal

    def cdk(model: str, shares: list[float]) -> Any:
        log = log_row("cdk_synth", 1.0, model=model)
        runs = [
            replace(
                run,
                scores={"cdk_verify_local": replace(run.scores["cdk_verify_local"], metadata={"cdk_intent": share})},
            )
            for run, share in zip(log.runs, shares, strict=True)
        ]
        return replace(log, runs=tuple(runs))

    board = make_board(cdk("maker/same", [0.1] * 40), cdk("maker/honest", [1.0] * 39 + [0.5]))
    rows = {row["model"]: row for row in leaderboard(board)["models"]}
    # 39 of 40 with all requirements: 0.975, within the margin of 0.05 of the score
    assert rows["maker/honest"]["intent"]["cdk_synth"] == {
        "intent": 0.9875,
        "passed_with_intent": 0.975,
        "intent_parts": False,
    }
    assert rows["maker/same"]["cdk_synth"] == 1.0  # the official score stays
    assert rows["maker/same"]["intent"]["cdk_synth"] == {
        "intent": 0.1,
        "passed_with_intent": 0.0,
        "intent_parts": True,
    }
    lines = {line["model"]: line for line in csv.DictReader(io.StringIO(csv_text(board)))}
    assert lines["maker/same"]["cdk_synth_passed_with_intent"] == "0.0"
    assert lines["maker/same"]["cdk_synth_intent_parts"] == "true"
    text = terminal.render(document(board), width=120)
    assert "0% ≠" in text and "98%" in text and "but only 0% pass and meet all requirements" in text


def test_unreadable_answers_are_a_column(make_board: Any, log_row: Any) -> None:
    from steelyard.bench.report.document import standings

    log = log_row("practice_exam", [0.0] * 10 + [1.0] * 40)
    reasons = ["invalid_response_format"] * 4 + ["truncated"] + [None] * 45
    runs = [
        replace(run, scores={"choice": replace(run.scores["choice"], metadata={"reason": reason} if reason else {})})
        for run, reason in zip(log.runs, reasons, strict=True)
    ]
    board = make_board(replace(log, runs=tuple(runs)))
    assert leaderboard(board)["models"][0]["unreadable"] == {"practice_exam": 0.1}
    table = standings(board)
    place = [column.name for column in table.columns].index("Unread")
    assert table.rows[0][place].text == "10%"  # type: ignore[union-attr]
