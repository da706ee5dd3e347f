"""The practice exam as data: fifty original multiple-choice questions (docs/scoring.md §1.3).

A question has four to six choices. `target` is the letter of the only right choice, or a sorted list of two or three
letters; the question then ends in "(Select TWO.)" or "(Select THREE.)". Every choice is explained, right or wrong.
`parse` rejects a file that breaks any of these rules, with an error that names the question and the field.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from steelyard.bench.jsonl import parse_rows, read_text, require_unique

DATASET_VERSION = "1.0.0"
"""Major: scores are no longer comparable; minor: questions added; patch: wording that changes no answer.

1.0.0: the first fifty questions.
"""

CANARY = "steelyard-practice-exam canary 6f0d1c52-8a47-4f0e-9b63-2d5be1c7a914"
"""Included in every line of the file. A corpus that contains it, or a model that recites it, is contaminated."""

FILE_NAME = "aws_sa.jsonl"
LETTERS = "ABCDEF"
_NUMBERS = {"TWO": 2, "THREE": 3}
_SELECT = re.compile(r"\(Select (TWO|THREE)\.\)")
_LETTERED = re.compile(r"^\(?[A-F][.):]\s")

Difficulty = Literal["associate", "professional"]
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


class QuestionMetadata(ExamModel):
    """Everything about a question besides its text, choices and key."""

    difficulty: Difficulty
    domain: Domain
    aws_services: list[str] = Field(min_length=1)
    """The services that decide the question, under their usual names."""
    explanation: Explanation
    as_of: str = Field(pattern=r"^\d{4}-\d{2}$")
    """Year and month at which the key was true of AWS."""
    canary: str


class Question(ExamModel):
    """One question with its key."""

    id: str = Field(pattern=r"^pe-\d{3}$")
    input: str = Field(min_length=1)
    """Scenario and question."""
    choices: list[str] = Field(min_length=4, max_length=6)
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


def letter_count(text: str) -> int:
    """How many letters a question asks for: 1 without a "(Select …)"."""
    numbers = _SELECT.findall(text)
    return _NUMBERS[numbers[-1]] if numbers else 1


def _problems(question: Question) -> Iterator[tuple[str, str]]:
    """Field and problem, for everything that types alone do not catch."""
    allowed = LETTERS[: len(question.choices)]
    letters = question.letters
    if any(len(letter) != 1 or letter not in allowed for letter in letters):
        yield "target", f"{', '.join(letters)} is not among the choices {allowed}"
    if list(letters) != sorted(set(letters)):
        yield "target", "letters must be unique and in order"
    if question.several and len(letters) < 2:
        yield "target", "a single right letter must be a string, not a list"
    if len(letters) != (expected := letter_count(question.input)):
        yield "target", f"{len(letters)} right letters, but the question asks for {expected}"
    if question.several and not _SELECT.search(question.input[-len("(Select THREE.)") :]):
        yield "input", "must end in (Select TWO.) or (Select THREE.)"
    if len(set(question.choices)) != len(question.choices):
        yield "choices", "choices must be unique"
    if any(text != text.strip() or "\n" in text or not text or _LETTERED.match(text) for text in question.choices):
        yield "choices", "each must be one line of text without a leading letter"
    if list(question.metadata.explanation.choices) != list(allowed):
        yield "metadata.explanation.choices", f"must explain exactly {', '.join(allowed)}"
    if question.metadata.canary != CANARY:
        yield "metadata.canary", "must be the canary of this dataset"


def parse(text: str, source: str = FILE_NAME) -> tuple[Question, ...]:
    """All questions of a JSON Lines text; raises `DatasetError` naming the line, the id and the field."""
    questions = parse_rows(source, text, Question)
    require_unique(source, (question.id for question in questions))
    return questions


def _text() -> str:
    return read_text("steelyard.bench.practice_exam", FILE_NAME)


@cache
def load() -> tuple[Question, ...]:
    """The shipped questions, checked."""
    return parse(_text())


def sha256() -> str:
    """Hash of the shipped file, for a run's fingerprint."""
    return hashlib.sha256(_text().encode()).hexdigest()
