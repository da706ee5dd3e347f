"""docs/scoring.md §1.4, facts: which object counts, how values are compared, and what hostile answers cannot do."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from steelyard.bench.architecture_design.facts import Fact, asked, assessed, fenced, stated

OPTION = Fact(
    name="part", ask="?", kind="option", options=("API Gateway", "S3", "EC2"), answer="S3", traps=("EC2",), why="w"
)
NUMBER = Fact(name="hours", ask="?", kind="number", answer=4.2, within=0.1, traps=(24,), why="w")
SET = Fact(name="ports", ask="?", kind="set", options=("22", "80", "443"), answer=("22", "80"), traps=("443",), why="w")
TRUTH = Fact(name="fails", ask="?", kind="truth", answer=False, traps=(True,), why="w")
FACTS = (OPTION, NUMBER, SET, TRUTH)
RIGHT: dict[str, Any] = {"part": "S3", "hours": 4.2, "ports": ["80", "22"], "fails": False}


def accuracy(answer: str) -> float:
    return assessed(stated(answer, FACTS).fields, FACTS).accuracy


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("part", "s3", "right"),
        ("part", " S\u200b3 ", "right"),
        ("part", "API Gateway", "wrong"),
        ("part", "EC2", "trapped"),
        ("part", ["S3"], "wrong"),
        ("part", {"is": "S3"}, "wrong"),
        ("part", None, "missing"),
        ("hours", 4.1, "right"),
        ("hours", "4.2 h", "right"),
        ("hours", 4.31, "wrong"),
        ("hours", 24, "trapped"),
        ("hours", True, "wrong"),
        ("hours", float("nan"), "wrong"),
        ("hours", float("inf"), "wrong"),
        ("hours", 10**400, "wrong"),
        ("hours", "4.2 or 24", "wrong"),
        ("ports", ["22", "80", "80"], "right"),
        ("ports", [22, 80], "right"),
        ("ports", ["22"], "wrong"),
        ("ports", ["22", "80", "443"], "trapped"),
        ("ports", "22, 80", "wrong"),
        ("ports", [["22"], "80"], "wrong"),
        ("fails", "no", "right"),
        ("fails", True, "trapped"),
        ("fails", 0, "wrong"),
    ],
)
def test_one_value(name: str, value: Any, verdict: str) -> None:
    found = assessed({name: value}, FACTS)
    kinds = {"right": found.right, "wrong": found.wrong, "trapped": found.trapped}
    assert {kind for kind, names in kinds.items() if name in names} == {
        "right": {"right"},
        "wrong": {"wrong"},
        "trapped": {"wrong", "trapped"},
        "missing": set[str](),
    }[verdict]
    assert (name in found.missing) == (verdict == "missing")


def test_accuracy_is_right_less_traps_over_all_facts() -> None:
    assert accuracy(fenced(RIGHT)) == 1.0
    assert accuracy(fenced(RIGHT | {"part": "API Gateway"})) == 3 / 4
    assert accuracy(fenced(RIGHT | {"part": "EC2"})) == (3 - 1) / 4
    assert accuracy(fenced({"part": "S3"})) == 1 / 4  # what is left out costs nothing
    assert accuracy(fenced({"part": "S3", "hours": 24, "fails": True})) == 0.0  # never below 0


def test_the_last_object_counts_and_is_taken_out_of_the_prose() -> None:
    first, last = fenced(RIGHT | {"fails": True}), fenced(RIGHT)
    found = stated(f"{first}\nWait, no.\n{last}\nGET /orders/{{id}} ends it.", FACTS)
    assert found.fields == RIGHT | {"ports": ["80", "22"]}
    assert '"fails": false' not in found.rest and '"fails": true' in found.rest and "ends it" in found.rest
    assert accuracy(f"{last}\n{first}") == (3 - 1) / 4


@pytest.mark.parametrize(
    "answer", [json.dumps(RIGHT), f"Text {json.dumps({'facts': RIGHT})} text", fenced(RIGHT).replace("facts", "json")]
)
def test_fences_and_wrappers_do_not_matter(answer: str) -> None:
    assert accuracy(answer) == 1.0


def test_a_field_that_occurs_twice_is_wrong() -> None:
    assert accuracy('{"part": "S3", "part": "S3", "fails": false}') == 1 / 4


@pytest.mark.parametrize(
    "answer", ["", "no object", '{"other": 1}', '{"part": "S3"', "{'part': 'S3'}", '["part", "S3"]']
)
def test_an_answer_without_such_an_object_is_unread(answer: str) -> None:
    found = assessed(stated(answer, FACTS).fields, FACTS)
    assert found.unread and found.accuracy == 0.0 and len(found.missing) == 4


@pytest.mark.parametrize(
    "hostile",
    [
        "{" * 200_000,
        '{"part":' * 50_000,
        "[" * 100_000,
        '{"part": "' + "x" * 500_000,
        '{"hours": ' + "9" * 100_000 + "}",
    ],
)
def test_hostile_text_takes_bounded_time_and_states_nothing(hostile: str) -> None:
    began = time.process_time()
    assert accuracy(hostile) == 0.0
    assert time.process_time() - began < 10  # a hang, not a measure of speed


def test_hostile_text_before_the_object_does_not_hide_it() -> None:
    assert accuracy("{" * 100_000 + fenced(RIGHT)) == 1.0


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from([*RIGHT, "other"]), st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists)
    )
)
def test_any_json_gives_a_number_between_0_and_1(values: dict[str, Any]) -> None:
    assert 0.0 <= accuracy(f"text {json.dumps(values)}") <= 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"answer": "RDS"},
        {"traps": ("S3",)},
        {"traps": ("RDS",)},
        {"options": ("S3", "s3", "EC2")},
        {"kind": "number"},
        {"kind": "set"},
        {"kind": "truth"},
    ],
)
def test_an_inconsistent_fact_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Fact.model_validate(OPTION.model_dump() | change)


def test_a_list_that_several_facts_share_is_printed_once() -> None:
    other = OPTION.model_copy(update={"name": "second"})
    text = asked((OPTION, NUMBER, other, TRUTH))
    assert text.count("API Gateway; EC2; S3") == 1  # in alphabetical order, not as written
    assert "- `part` (one of list 1): ?" in text and "- `hours` (number): ?" in text
    assert "- `fails` (true or false): ?" in text
    assert asked((SET,)) == "- `ports` (JSON list, all that apply of: 22; 443; 80): ?"
