"""Exams as data, and the fifty original multiple-choice questions of the practice exam (docs/scoring.md §1.3).

A question has four to ten choices. `target` is the letter of the only right choice, or a sorted list of two or more
letters; the question then ends in "(Select TWO.)", "(Select THREE.)" or "(Select ALL that apply.)", which does not say
how many. Every choice is explained, right or wrong.
`parse` rejects a file that breaks any of these rules, with an error that names the question and the field. An `Exam`
says where the questions of one exam are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from steelyard.bench.jsonl import DatasetError, parse_rows, read_text, require_unique

DATASET_VERSION = "1.0.0"
"""Major: scores are no longer comparable; minor: questions added; patch: wording that changes no answer.

1.0.0: the first fifty questions.
"""

CANARY = "steelyard-practice-exam canary 6f0d1c52-8a47-4f0e-9b63-2d5be1c7a914"
"""Included in every line of the file. A corpus that contains it, or a model that recites it, is contaminated."""

LETTERS = "ABCDEFGHIJ"
_SELECT = {"(Select TWO.)": 2, "(Select THREE.)": 3, "(Select ALL that apply.)": None}
"""What ends a question for several letters, and how many it asks for; None leaves the number open."""

Difficulty = Literal["associate", "professional", "expert"]
Domain = Literal["resilience", "performance", "security", "cost", "migration", "operations"]


class ExamModel(BaseModel):
    """Immutable and strictly typed; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Explanation(ExamModel):
    """Why the key is right."""

    correct: str = Field(min_length=1)
    """The deciding requirement and what meets it."""
    choices: dict[str, str]
    """Letter to the reason why the choice is right or wrong; one for every choice."""


class WrongLetters(ExamModel):
    """A wrong set of letters that a typical mistake leads to."""

    letters: list[str] = Field(min_length=1)
    """As many as the question asks for, in order."""
    why: str = Field(min_length=1)
    """The mistake."""


class QuestionMetadata(ExamModel):
    """Everything about a question besides its text, choices and key."""

    difficulty: Difficulty
    domain: Domain
    aws_services: list[str] = Field(min_length=1)
    """The services that decide the question, under their usual names."""
    explanation: Explanation
    source: str | None = None
    """Where AWS documents the facts that decide the question, if it is not in the question itself."""
    near_misses: list[WrongLetters] = []
    """Tempting wrong answers."""
    as_of: str = Field(pattern=r"^\d{4}-\d{2}$")
    """Year and month at which the key was true of AWS."""
    canary: str


class Question(ExamModel):
    """One question with its key."""

    id: str = Field(pattern=r"^[a-z]{2}-\d{3}$")
    input: str = Field(min_length=1)
    """Scenario and question."""
    choices: list[str] = Field(min_length=4, max_length=10)
    """One line of text each, without letters; Inspect adds those."""
    target: str | list[str]
    """The right letter, or all right letters in order."""
    metadata: QuestionMetadata

    @property
    def letters(self) -> tuple[str, ...]:
        """The right letters."""
        return (self.target,) if isinstance(self.target, str) else tuple(self.target)

    @property
    def several(self) -> bool:
        """Whether the question asks for more than one letter."""
        return not isinstance(self.target, str)

    @property
    def right(self) -> frozenset[str]:
        """The texts of the right choices, independent of their order."""
        return frozenset(self.choices[LETTERS.index(letter)] for letter in self.letters)

    @model_validator(mode="after")
    def _consistent(self) -> Question:
        for field, problem in _problems(self):
            raise ValueError(f"{field}: {problem}")
        return self


def letter_count(text: str) -> int | None:
    """How many letters a question asks for: 1 without a "(Select …)", None if it leaves the number open."""
    last = max(_SELECT, key=text.rfind)
    return _SELECT[last] if last in text else 1


def _lettered(choice: str) -> bool:
    """Whether a choice begins like `B) …`."""
    letter, mark, space = choice.removeprefix("(")[:3].ljust(3, "-")
    return letter in LETTERS and mark in ".):" and space.isspace()


def key_problems(choices: Sequence[str], letters: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Field and problem, for every question with choices and right letters."""
    allowed = LETTERS[: len(choices)]
    if not letters or any(len(letter) != 1 or letter not in allowed for letter in letters):
        yield "target", f"{', '.join(letters) or 'nothing'} is not among the choices {allowed}"
    if list(letters) != sorted(set(letters)):
        yield "target", "letters must be unique and in order"
    if len(set(choices)) != len(choices) or any(text != text.strip() for text in choices):
        yield "choices", "choices must be unique, without blanks around them"


def _problems(question: Question) -> Iterator[tuple[str, str]]:
    """Field and problem, for everything that types alone do not catch."""
    yield from key_problems(question.choices, question.letters)
    allowed, letters = LETTERS[: len(question.choices)], question.letters
    if question.several and len(letters) < 2:
        yield "target", "a single right letter must be a string, not a list"
    if (expected := letter_count(question.input)) is not None and len(letters) != expected:
        yield "target", f"{len(letters)} right letters, but the question asks for {expected}"
    if question.several != question.input.endswith(tuple(_SELECT)):
        yield (
            "input",
            "several letters need (Select TWO.), (Select THREE.) or (Select ALL that apply.) at the end",
        )
    # Inspect puts the letters in front, so a choice with a letter of its own would have two.
    if any("\n" in text or not text or _lettered(text) for text in question.choices):
        yield "choices", "each must be one line of text without a leading letter"
    if list(question.metadata.explanation.choices) != list(allowed):
        yield "metadata.explanation.choices", f"must explain exactly {', '.join(allowed)}"
    for miss in question.metadata.near_misses:
        if expected not in (None, len(set(miss.letters))) or not set(miss.letters) <= set(allowed):
            yield "metadata.near_misses", f"{', '.join(miss.letters)} is not an answer among the choices {allowed}"
        if set(miss.letters) == set(letters):
            yield "metadata.near_misses", f"{', '.join(miss.letters)} is the right answer"


@dataclass(frozen=True, slots=True)
class Exam:
    """Where the questions of one exam are, and what marks them."""

    category: str
    """The key of its category and the folder of its file."""
    file_name: str
    prefix: str
    """With which the id of every question begins."""
    canary: str
    """Included in every line of the file. A corpus that contains it, or a model that recites it, is contaminated."""
    version: str
    """Major: scores are no longer comparable; minor: questions added; patch: wording that changes no answer."""

    def parse(self, text: str) -> tuple[Question, ...]:
        """All questions of a JSON Lines text; raises `DatasetError` naming the line, the id and the field."""
        questions = parse_rows(self.file_name, text, Question)
        for number, question in enumerate(questions, start=1):
            where = f"{self.file_name}:{number}: {question.id}"
            if not question.id.startswith(f"{self.prefix}-"):
                raise DatasetError(f"{where}: id: must begin with {self.prefix}-")
            if question.metadata.canary != self.canary:
                raise DatasetError(f"{where}: metadata.canary: must be the canary of this dataset")
        require_unique(self.file_name, (question.id for question in questions))
        return questions

    def questions(self) -> tuple[Question, ...]:
        """The shipped questions, checked."""
        return _checked(self)

    def sha256(self) -> str:
        """Hash of the shipped file, for a run's fingerprint."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def text(self) -> str:
        """The shipped file."""
        return read_text(f"steelyard.bench.{self.category}", self.file_name)


@cache
def _checked(exam: Exam) -> tuple[Question, ...]:
    return exam.parse(exam.text())


EXAM = Exam("practice_exam", "aws_sa.jsonl", "pe", CANARY, DATASET_VERSION)
"""The practice exam."""

load = EXAM.questions
"""The shipped questions of the practice exam, checked."""
