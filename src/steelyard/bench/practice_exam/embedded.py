"""Answers of the embedded subjects to exam prompts: the key for the ceiling, a guess for the floor.

Both read the prompt as a model sees it: instructions, the question, and choices in lines "A) …" that may be shuffled.
For a prompt that is not an exam question the answer is None, so that the other sources can be tried.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Mapping

from steelyard.bench.practice_exam.dataset import EXAM, Exam, Question, letter_count


def reference(prompt: str, exam: Exam = EXAM) -> str | None:
    """The right letters in this prompt, as "ANSWER: B" or "ANSWER: A,C"; None if it is not a question of the exam."""
    question = _question(prompt, exam)
    return None if question is None else answer_for(prompt, question.input, question.choices, question.right)


def answer_for(prompt: str, question: str, choices: Iterable[str], right: Container[str]) -> str | None:
    """The letters that the `right` choices have in this prompt; None if other choices follow the question."""
    shown = _choices(prompt[prompt.index(question) + len(question) :])
    if set(shown.values()) != set(choices):
        return None
    return _answer(letter for letter, text in shown.items() if text in right)


def guess(prompt: str, rng: random.Random) -> str | None:
    """A random letter, or as many as "(Select …)" asks for; None if the prompt is not an exam question."""
    letters = list(_choices(prompt))
    asked = (part.lstrip().removeprefix("$") for part in prompt.split("ANSWER:")[1:])
    if len(letters) < 2 or not any(part.startswith("LETTER") for part in asked):
        return None
    count = letter_count(prompt) or rng.randint(2, len(letters))
    return _answer(sorted(rng.sample(letters, min(count, len(letters)))))


def items(exam: Exam = EXAM) -> Mapping[str, str]:
    """Item id → the text by which its prompts are recognised."""
    return {question.id: question.input for question in exam.questions()}


def _question(prompt: str, exam: Exam) -> Question | None:
    return next((question for question in exam.questions() if question.input in prompt), None)


def _choices(text: str) -> dict[str, str]:
    """Letter to text, from the last run of lines A), B), C), …; empty if there is none."""
    shown: dict[str, str] = {}
    for line in text.split("\n"):
        letter, mark, choice = line[:1], line[1:3], line[3:].rstrip()
        # Another A starts a new list; the choices are the last list in the prompt.
        if letter == "A" and mark == ") ":
            shown = {}
        if letter == chr(ord("A") + len(shown)) and mark == ") " and choice:
            shown[letter] = choice
    return shown


def _answer(letters: Iterable[str]) -> str:
    return f"ANSWER: {','.join(letters)}"
