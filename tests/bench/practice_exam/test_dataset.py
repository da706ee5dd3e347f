"""The shipped questions hold what the law asks (docs/scoring.md §1.1, §1.3), and a bad file is refused by name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest

from steelyard.bench.practice_exam.dataset import CANARY, DATASET_VERSION, EXAM, LETTERS, letter_count, load
from steelyard.errors import InputError
from tests.waiting import HANG_S

QUESTIONS = load()


def test_fifty_questions_half_associate_half_professional() -> None:
    assert [question.id for question in QUESTIONS] == [f"pe-{number:03d}" for number in range(1, 51)]
    assert Counter(question.metadata.difficulty for question in QUESTIONS) == {"associate": 25, "professional": 25}


def test_twenty_have_two_or_more_right_letters() -> None:
    # 15 ask for two, 5 for three; 30 have one right letter and four choices
    assert Counter(len(question.letters) for question in QUESTIONS) == {1: 30, 2: 15, 3: 5}
    assert {len(question.choices) for question in QUESTIONS} == {4, 5, 6}


def test_every_domain_is_covered_with_at_least_seven() -> None:
    counts = Counter(question.metadata.domain for question in QUESTIONS)
    assert counts == {
        "security": 12,
        "resilience": 10,
        "performance": 7,
        "cost": 7,
        "migration": 7,
        "operations": 7,
    }


def test_right_letters_are_balanced() -> None:
    # 30 single-answer questions over four letters: 7.5 each
    singles = Counter(question.target for question in QUESTIONS if isinstance(question.target, str))
    assert all(7 <= singles[letter] <= 8 for letter in "ABCD")


def test_texts_are_distinct_and_none_contains_another() -> None:
    texts = [question.input for question in QUESTIONS]
    assert not [(a, b) for a in texts for b in texts if a is not b and a in b]


def test_choices_of_one_question_are_of_similar_length() -> None:
    for question in QUESTIONS:
        lengths = [len(text) for text in question.choices]
        assert max(lengths) <= 1.7 * min(lengths), question.id


def test_explanations_name_no_letters_because_choices_are_shuffled() -> None:
    letter = re.compile(r"\b(?:choice|option|answer)s? [A-F]\b", re.IGNORECASE)
    for question in QUESTIONS:
        explanation = question.metadata.explanation
        assert not letter.search(" ".join((explanation.correct, *explanation.choices.values()))), question.id


def test_version_canary_and_hash() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", DATASET_VERSION)
    assert re.search(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", CANARY)
    assert {question.metadata.as_of for question in QUESTIONS} == {"2026-11"}
    assert re.fullmatch(r"[0-9a-f]{64}", EXAM.sha256())


@pytest.mark.parametrize(
    ("text", "count"),
    [("What now?", 1), ("Which? (Select TWO.)", 2), ("Which? (Select THREE.)\n\nA) x", 3), ("Select TWO", 1)],
)
def test_letter_count(text: str, count: int) -> None:
    assert letter_count(text) == count


def _record(**changes: Any) -> dict[str, Any]:
    record = json.loads(QUESTIONS[0].model_dump_json())
    return {**record, **changes}


def _with(path: str, value: Any) -> dict[str, Any]:
    record = deepcopy(_record())
    *parents, last = path.split(".")
    place = record
    for name in parents:
        place = place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return record


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (_with("target", "F"), "target"),
        (_with("target", "a"), "target"),
        (_with("target", ["A"]), "target"),
        (_with("target", ["A", "B"]), "target"),
        (_with("target", []), "target"),
        (_with("target", 1), "target"),
        (_with("input", "Which? (Select TWO.)"), "target"),
        (_with("choices", ["one", "two", "three"]), "choices"),
        (_with("choices", ["A) one", "two", "three", "four"]), "choices"),
        (_with("choices", ["one", "one", "three", "four"]), "choices"),
        (_with("choices", ["one\nline", "two", "three", "four"]), "choices"),
        (_with("metadata.explanation.choices", {"A": "why"}), "metadata.explanation.choices"),
        (_with("metadata.explanation.correct", ""), "metadata.explanation.correct"),
        (_with("metadata.domain", "networking"), "metadata.domain"),
        (_with("metadata.difficulty", None), "metadata.difficulty"),
        (_with("metadata.as_of", "November"), "metadata.as_of"),
        (_with("metadata.canary", "other"), "metadata.canary"),
        (_with("metadata.extra", "x"), "metadata.extra"),
    ],
)
def test_a_bad_question_is_refused_with_id_and_field(record: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError, match=rf"aws_sa.jsonl:1: pe-001: {re.escape(field)}"):
        EXAM.parse(json.dumps(record))


def test_an_id_used_twice_is_refused() -> None:
    line = json.dumps(_record())
    with pytest.raises(InputError, match=r"aws_sa.jsonl:2: duplicate id pe-001"):
        EXAM.parse(f"{line}\n{line}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{", "not JSON"), ("[]", "not an object"), ('"x"', "not an object"), ("\n", "not JSON"), ("{}", "no id")],
)
def test_a_line_that_is_no_question_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=rf"aws_sa.jsonl:1: {reason}"):
        EXAM.parse(text)


def test_right_texts_follow_the_letters() -> None:
    for question in QUESTIONS:
        assert question.right == {question.choices[LETTERS.index(letter)] for letter in question.letters}


def test_the_data_loads_without_inspect() -> None:
    code = (
        "import sys; import steelyard.bench.practice_exam.dataset as d;"
        "import steelyard.bench.practice_exam.embedded;"
        "d.load(); sys.exit('inspect_ai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=HANG_S).returncode == 0
