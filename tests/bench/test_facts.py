"""What items are about: titles, groups and their scores, seconds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from steelyard.bench.report.data import json_text, leaderboard
from steelyard.bench.weigh.facts import TITLE_LENGTH, Items


def described(run: Any, question: str = "", **metadata: Any) -> Any:
    return replace(run, question=question, metadata=metadata)


@pytest.mark.parametrize(
    ("question", "metadata", "title"),
    [
        ("Ask.", {"title": " A\nname "}, "A name"),
        ("Ask.", {"pattern": "secure storage"}, "secure storage"),
        ("A firm moves. Which way? More.", {}, "A firm moves."),
        ("", {}, ""),
        ("Ask.", {"title": ["<b>", 1]}, "['<b>', 1]"),
    ],
)
def test_a_title_is_given_or_the_first_sentence(run_row: Any, question: str, metadata: Any, title: str) -> None:
    run = described(run_row("i", 1.0, scorer="choice"), question, **metadata)
    assert Items().facts([run])["i"].title == title


def test_instructions_that_all_questions_share_are_no_title(run_row: Any) -> None:
    questions = {item: f"You are an architect. {item} runs a shop. Why?" for item in ("Ann", "Bob")}
    runs = [described(run_row(item, 1.0, scorer="choice"), text) for item, text in questions.items()]
    assert [facts.title for facts in Items().facts(runs).values()] == ["Ann runs a shop.", "Bob runs a shop."]


def test_a_long_title_ends_between_words(run_row: Any) -> None:
    title = Items().facts([described(run_row("i", 1.0, scorer="choice"), "word " * 60)])["i"].title
    assert title.endswith("word …") and len(title) <= TITLE_LENGTH + 2


@pytest.fixture
def board(make_board: Any, full: Any) -> Any:
    def about(log: Any) -> Any:
        # Items 0, 1, 2, … alternate between two difficulties; every fourth one has a second domain.
        runs = [
            replace(
                described(run, difficulty=("easy", "hard")[n % 2], domains=["storage", "dns"][: 1 + (n % 4 == 0)]),
                working_time_s=float(n),
            )
            for n, run in enumerate(log.runs)
        ]
        return replace(log, runs=tuple(runs))

    exam = [1.0, 0.0] * 25  # easy items solved, hard ones not
    rows = [about(log) for log in full("maker/one", exam, 0.5, 1.0)] + [
        about(log) for log in full("maker/two", exam[::-1], 0.5, 1.0)
    ]
    return make_board(*rows)


def test_breakdowns_are_means_over_the_items_of_a_group(board: Any) -> None:
    by_domain, by_difficulty = (board.rows[0].results["practice_exam"].breakdowns[d] for d in ("domain", "difficulty"))
    one = next(row for row in board.rows if row.model == "maker/one").results["practice_exam"]
    assert {name: (group.score, group.items) for name, group in one.breakdowns["difficulty"].items()} == {
        "easy": (1.0, 25),
        "hard": (0.0, 25),
    }
    assert set(by_difficulty) == {"easy", "hard"}
    # All 50 items are about storage; 0, 4, …, 48 are about DNS as well, and solved because they are even.
    assert list(by_domain) == ["storage", "dns"]
    assert (one.breakdowns["domain"]["storage"].score, one.breakdowns["domain"]["storage"].items) == (0.5, 50)
    assert (one.breakdowns["domain"]["dns"].score, one.breakdowns["domain"]["dns"].items) == (1.0, 13)
    assert one.breakdowns["domain"]["storage"].interval.low < 0.5 < one.breakdowns["domain"]["storage"].interval.high


def test_a_withheld_score_has_no_breakdown(make_board: Any, log_row: Any) -> None:
    log = log_row("practice_exam", [1.0] * 40 + [None] * 10)
    runs = tuple(described(run, difficulty="easy") for run in log.runs)
    (row,) = make_board(replace(log, runs=runs)).rows
    assert row.results["practice_exam"].score is None
    assert row.results["practice_exam"].breakdowns == {}


def test_json_has_pairs_breakdowns_titles_and_seconds(board: Any) -> None:
    data: Any = json.loads(json_text(board))  # checked against the schema
    model = data["models"][0]
    assert model["breakdowns"]["practice_exam"]["difficulty"]["easy"]["items"] == 25
    # Seconds 0 to 49: the median is 24.5.
    assert model["latency"]["practice_exam"]["median_s"] == 24.5
    assert model["latency"]["practice_exam"]["items_s"]["practice_exam-07"] == 7.0
    assert data["items"]["cdk_synth"]["cdk_synth-04"]["domain"] == ["storage", "dns"]
    kinds = {pair["category"] for pair in data["pairs"]}
    assert kinds == {"overall", "practice_exam", "architecture_design", "cdk_synth"}
    (overall,) = (pair for pair in data["pairs"] if pair["category"] == "overall")
    assert {overall["first"], overall["second"]} == {"maker/one", "maker/two"}
    assert overall["declared"] == "equivalent" and overall["delta"] == 0.0


def test_a_failed_run_has_no_seconds(make_board: Any, log_row: Any, run_row: Any) -> None:
    runs = [run_row("a", 1.0, scorer="choice"), run_row("b", 1.0, scorer="choice", error="timeout")]
    (row,) = leaderboard(make_board(replace(log_row("practice_exam", 1.0), runs=tuple(runs))))["models"]
    assert row["latency"]["practice_exam"]["items_s"] == {"a": 1.0}


def test_another_question_under_the_same_id_has_facts_of_its_own(run_row: Any) -> None:
    items = Items()
    titles = ["A first question.", "A second question.", "A first question."]
    for title in titles:
        run = described(run_row("i", 1.0, scorer="choice"), title)
        assert items.facts([run])["i"].title == title
