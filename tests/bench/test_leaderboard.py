"""docs/scoring.md §1.7: the leaderboard as data."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard import artifact
from steelyard.bench.board import run_id
from steelyard.bench.report.data import csv_text, json_text, leaderboard
from steelyard.bench.report.document import document, heuristic_note
from steelyard.bench.report.published import read_published
from steelyard.bench.report.reading import reading
from steelyard.errors import ArtifactError, InputError
from steelyard.report import terminal

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
    assert meta["schema_version"] == 2 and meta["model_count"] == 4 and meta["run_id"] == "local-test"
    assert meta["categories"]["practice_exam"] == {
        "name": "Practice Exam",
        "description": meta["categories"]["practice_exam"]["description"],
        "weight": 0.34,
        "sample_count": 50,
        "scoring": "binary",
        "confidence": "high",
        "margin": "±5%",
        "expected_variance": "±2–5%",
        "items_hash": "d1",
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
    ours["_metadata"]["schema_version"] = 2
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
        (f'{{"models": [{{"model": "m", "overall": 1{"0" * 400}}}]}}', "outside 0 to 1"),
        ('{"models": [{"model": "m", "overall": 1e999}]}', "not a number"),
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


def measured(log: Any, name: str, shares: list[Any]) -> Any:
    """The log with a number under `name` in the metadata of each score; None leaves it out."""
    runs = [
        replace(run, scores={key: replace(score, metadata={} if share is None else {name: share})})
        for run, share in zip(log.runs, shares, strict=True)
        for key, score in run.scores.items()
    ]
    return replace(log, runs=tuple(runs))


def strictly(
    log_row: Any, model: str, intents: list[Any], facts: list[Any], cdk: Any = 1.0, design: Any = 0.8
) -> list[Any]:
    return [
        log_row("practice_exam", 1.0, model=model),
        measured(log_row("architecture_design", design, model=model), "accuracy_facts", facts),
        measured(log_row("cdk_synth", cdk, model=model), "cdk_intent", intents),
    ]


def test_strict_stands_beside_overall_and_is_marked_where_they_part(make_board: Any, log_row: Any) -> None:
    """One small app as the answer to all 40 prompts: it synthesizes, and does nothing that was asked for."""
    board = make_board(
        *strictly(log_row, "maker/same", [0.1] * 40, [0.8] * 28),
        *strictly(log_row, "maker/honest", [1.0] * 38 + [0.5] * 2, [0.75] * 28),
    )
    rows = {row["model"]: row for row in leaderboard(board)["models"]}
    # The official score stays: 0.34 + 0.33·0.8 + 0.33. Strictly no app counts: 0.34 + 0.33·0.8.
    assert (rows["maker/same"]["overall"], rows["maker/same"]["strict"]) == (0.934, 0.604)
    assert rows["maker/same"]["strict_scores"] == {"practice_exam": 1.0, "architecture_design": 0.8, "cdk_synth": 0.0}
    # 0.34 + 0.33·0.75 + 0.33·38/40 = 0.901: 3.3 points below, so no mark.
    assert (rows["maker/honest"]["overall"], rows["maker/honest"]["strict"]) == (0.934, 0.901)
    assert {model: row["strict_parts"] for model, row in rows.items()} == {"maker/same": True, "maker/honest": False}
    assert rows["maker/honest"]["intent"] == {"cdk_synth": 0.975}
    lines = {line["model"]: line for line in csv.DictReader(io.StringIO(csv_text(board)))}
    assert (lines["maker/same"]["strict"], lines["maker/same"]["strict_parts"]) == ("0.604", "true")
    assert (lines["maker/same"]["cdk_synth_strict"], lines["maker/same"]["cdk_synth_intent"]) == ("0.0", "0.1")
    text = terminal.render(document(board), width=120)
    assert "60.4% ≠" in text and "90.1% ≠" not in text and "CDK Synthesis 100% → 0%" in text
    json_text(board)  # as the schema wants it


@pytest.mark.parametrize(("below", "marked"), [(0.05, False), (0.051, True)])
def test_the_mark_begins_above_five_points(make_board: Any, log_row: Any, below: float, marked: bool) -> None:
    facts = [1.0 - below / 0.33] * 28
    [row] = make_board(*strictly(log_row, "maker/one", [1.0] * 40, facts, design=1.0)).rows
    assert row.parted is marked


def test_a_log_without_facts_has_no_strict_score_and_says_so(make_board: Any, log_row: Any) -> None:
    board = make_board(*strictly(log_row, "maker/old", [1.0] * 40, [None] * 28))
    [row] = leaderboard(board)["models"]
    assert (row["overall"], row["strict"], row["strict_parts"]) == (0.934, None, False)
    [note] = [note for note in board.notes if "maker/old" in note]
    assert "no strict score" in note and "Architecture Design" in note and "steelyard rescore --all" in note


@pytest.mark.parametrize(
    "share", [float("nan"), float("inf"), 10**400, -1, 5], ids=["nan", "inf", "huge", "below", "above"]
)
def test_an_impossible_share_in_a_log_is_none(make_board: Any, log_row: Any, share: Any) -> None:
    board = make_board(*strictly(log_row, "maker/odd", [share] * 40, [0.8] * 28))
    assert board.rows[0].strict is None and board.rows[0].results["cdk_synth"].intent is None
    assert make_board(*strictly(log_row, "maker/odd", [1.0] * 40, [share] * 28)).rows[0].strict is None
    json_text(board)  # as the schema wants it


def test_what_earned_nothing_counts_nothing_strictly(make_board: Any, log_row: Any) -> None:
    """An empty answer scores 0 before anything is measured: that is no gap in the record."""
    cdk = [1.0] * 20 + [0.0] * 20
    [row] = make_board(*strictly(log_row, "maker/half", [1.0] * 20 + [None] * 20, [0.8] * 28, cdk=cdk)).rows
    assert row.results["cdk_synth"].strict == 0.5


def test_one_reading_is_the_headline_and_the_declared_one_says_what_it_is(make_board: Any, log_row: Any) -> None:
    """17 points apart over 118 items: by size definite, and yet not settled."""
    one = strictly(log_row, "maker/one", [1.0] * 40, [0.8] * 28, cdk=[1.0] * 24 + [0.0] * 16)
    two = strictly(log_row, "maker/two", [1.0] * 40, [0.8] * 28, cdk=[0.0] * 12 + [1.0] * 4 + [0.0] * 24)
    board = make_board(*one, *two)
    [pair] = [pair for pair in board.pairs if pair.category == "overall"]
    text = terminal.render(document(board), width=120)
    [head] = [line for line in text.splitlines() if line.startswith("Model") and "against" in line]
    assert head.split()[-5:] == ["Δ", "Reading", "By", "size", "alone"]
    assert pair.declared == "definite" and "whether these items can show it" in " ".join(text.split())
    assert reading(pair) == pair.measured
    assert reading(pair._replace(measured="distinct", declared="equivalent")) == "distinct, by 5 points or less"
    assert reading(pair._replace(measured="unresolved", needed=300)) == "unresolved, n ≈ 300"


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


def test_a_board_is_a_data_frame(make_board: Any, log_row: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board(
        *strictly(log_row, "maker/one", [1.0] * 40, [0.8] * 28), log_row("practice_exam", 0.5, model="maker/part")
    )
    frame = board.to_frame()
    assert list(frame["model"]) == ["maker/one", "maker/part"]
    assert list(frame.columns[-3:]) == ["practice_exam", "architecture_design", "cdk_synth"]
    assert frame["overall"].tolist() == pytest.approx([0.934, 0.17]) and list(frame["complete"]) == [True, False]
    assert frame["cdk_synth"].isna().tolist() == [False, True]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="steelyard\\[frame\\]"):
        board.to_frame()
