"""The shipped questions are balanced and give nothing away; right answers pass, attacks fail (docs/hard.md)."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.bench.hard_exam import CATEGORY
from steelyard.bench.hard_exam.dataset import CANARY, DATASET_VERSION, EXAM
from steelyard.bench.hard_exam.embedded import guess, items, reference
from steelyard.bench.practice_exam.dataset import EXAM as PRACTICE
from steelyard.bench.practice_exam.dataset import LETTERS, Question
from steelyard.bench.practice_exam.task import DEFAULT_SEED, exam_dataset
from steelyard.errors import InputError
from tests.bench.practice_exam.giveaways import service_names, specificity
from tests.bench.practice_exam.test_exam import grade

QUESTIONS = EXAM.questions()
NAMES = service_names(QUESTIONS)


def test_thirty_or_more_with_ten_choices_and_two_to_seven_right_letters() -> None:
    assert len(QUESTIONS) == CATEGORY.sample_count >= 30
    assert {len(question.choices) for question in QUESTIONS} <= {9, 10}
    counts = Counter(len(question.letters) for question in QUESTIONS)
    assert set(counts) <= {2, 3, 4, 5, 6, 7}
    # no number of letters is so common that assuming it helps
    assert max(counts.values()) <= 0.35 * len(QUESTIONS), counts


def test_every_question_is_complete() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", DATASET_VERSION)
    for question in QUESTIONS:
        metadata = question.metadata
        assert metadata.difficulty == "expert"
        assert metadata.source and len(metadata.near_misses) == 2, question.id
        assert metadata.as_of == "2026-11" and metadata.canary == CANARY != PRACTICE.canary
        assert len(question.input) >= 500, question.id


def test_choices_are_of_similar_length_and_explanations_name_no_letters() -> None:
    letter = re.compile(r"\b(?:choice|option|answer)s? [A-J]\b", re.IGNORECASE)
    for question in QUESTIONS:
        lengths = [len(text) for text in question.choices]
        assert max(lengths) <= 2.5 * min(lengths), question.id
        explanation = question.metadata.explanation
        assert not letter.search(" ".join((explanation.correct, *explanation.choices.values()))), question.id


def _letters(seed: int | None) -> Counter[str]:
    if seed is None:
        return Counter(letter for question in QUESTIONS for letter in question.letters)
    return Counter(letter for sample in exam_dataset(seed, EXAM) for letter in sample.target)


@pytest.mark.parametrize("seed", [None, DEFAULT_SEED])
def test_right_letters_are_balanced(seed: int | None) -> None:
    counts = _letters(seed)
    expected = counts.total() / 10
    assert all(abs(counts[letter] - expected) <= 0.4 * expected for letter in LETTERS), counts


def _place(own: float, values: list[float]) -> float:
    return (sum(value < own for value in values) + 0.5 * (values.count(own) - 1)) / (len(values) - 1)


def _rank_sum(question: Question, value: Callable[[str], float]) -> tuple[float, float]:
    """Mean place of right and of wrong choices when ranked by a value, as shares in [0, 1]."""
    values = [value(text) for text in question.choices]
    places = {text: _place(value(text), values) for text in question.choices}
    right = [places[text] for text in question.choices if text in question.right]
    wrong = [places[text] for text in question.choices if text not in question.right]
    return sum(right) / len(right), sum(wrong) / len(wrong)


def _largest(text: str) -> float:
    return max((float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)), default=0.0)


@pytest.mark.parametrize("name", ["length", "specificity", "largest number"])
def test_nothing_about_a_choice_tells_whether_it_is_right(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    values: dict[str, Callable[[str], float]] = {
        "length": len,
        "specificity": lambda text: specificity(text, NAMES),
        "largest number": _largest,
    }
    ranks = [_rank_sum(question, values[name]) for question in QUESTIONS]
    difference = sum(right - wrong for right, wrong in ranks) / len(ranks)
    with capsys.disabled():
        print(f"\nhard exam, {name}: right choices rank {difference:+.3f} of the scale above wrong ones")
    assert abs(difference) <= 0.1


def test_texts_are_distinct_from_each_other_and_from_the_practice_exam() -> None:
    texts = [question.input for question in (*QUESTIONS, *PRACTICE.questions())]
    assert not [(a, b) for a in texts for b in texts if a is not b and a in b]


@pytest.mark.parametrize("seed", [0, 1, 2024])
def test_the_reference_is_right_in_any_order(seed: int) -> None:
    for sample in exam_dataset(seed, EXAM):
        shown = "\n".join(f"{LETTERS[i]}) {text}" for i, text in enumerate(sample.choices or []))
        answer = reference(f"Answer: the last line is 'ANSWER: $LETTERS'.\n\n{sample.input}\n\n{shown}")
        assert answer is not None
        assert set(answer.removeprefix("ANSWER: ").split(",")) == set(sample.target), sample.id


def test_the_floor_guesses_only_at_its_own_prompts() -> None:
    text = f"… 'ANSWER: $LETTERS' …\n\n{QUESTIONS[0].input}\n\nA) one\nB) two\nC) three"
    assert (guess(text, random.Random(1)) or "").startswith("ANSWER: ")
    assert guess(text.replace(QUESTIONS[0].input, "Which?"), random.Random(1)) is None
    assert reference("Which?") is None
    assert set(items()) == {question.id for question in QUESTIONS}


@pytest.mark.parametrize("question", QUESTIONS[::9], ids=lambda question: question.id)
def test_near_misses_and_attacks_score_zero(question: Question) -> None:
    target = list(question.letters)
    assert grade(target, f"ANSWER: {', '.join(target)}", number=10).value == "C"
    attacks = [", ".join(miss.letters) for miss in question.metadata.near_misses]
    attacks += [", ".join(LETTERS), "ABCDEFGHIJ", "all of them", "A or B", "", question.input]
    attacks += [", ".join(target[:-1]), ", ".join({*LETTERS} - {*target})]
    for attack in attacks:
        assert grade(target, f"ANSWER: {attack}", number=10).value == "I", attack


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "pe-001"}, "id: must begin with hx-"),
        ({"canary": "other"}, "metadata.canary"),
        ({"near_misses": [{"letters": ["A", "K"], "why": "x"}]}, "metadata.near_misses"),
        ({"near_misses": [{"letters": list(QUESTIONS[0].letters), "why": "x"}]}, "is the right answer"),
    ],
)
def test_a_bad_question_is_refused(change: dict[str, object], message: str) -> None:
    row = json.loads(QUESTIONS[0].model_dump_json())
    place = row if "id" in change else row["metadata"]
    place.update(change)
    with pytest.raises(InputError, match=re.escape(message)):
        EXAM.parse(json.dumps(row))


def _page() -> str:
    return (Path(__file__).parents[3] / "docs/datasets/hard_exam.md").read_text(encoding="utf-8")


def _item_rows() -> list[str]:
    blind = json.loads((Path(__file__).parents[3] / "datasets/hard_exam/blind.json").read_text(encoding="utf-8"))
    rows = ["| id | domain | services | statements | right | blind solver |", "|---|---|---|---|---|---|"]
    for question in QUESTIONS:
        assert question.id in blind["wrong"] and question.id not in blind["right"]
        services = ", ".join(question.metadata.aws_services)
        counts = f"{len(question.choices)} | {len(question.letters)} | 0 of {blind['attempts']}"
        rows.append(f"| {question.id} | {question.metadata.domain} | {services} | {counts} |")
    return rows


def test_the_page_says_what_the_data_say() -> None:
    page = _page()
    block = re.search(r"<!-- items -->\n(.*?)<!-- /items -->", page, re.DOTALL)
    assert block is not None and block[1].splitlines() == _item_rows()
    assert f"{len(QUESTIONS)} questions · version {DATASET_VERSION} " in page and CANARY in page
