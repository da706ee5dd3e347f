"""Answers of the embedded subjects to prompts of the hard exam: the key for the ceiling, a guess for the floor."""

from __future__ import annotations

import random
from collections.abc import Mapping

from steelyard.bench.hard_exam.dataset import EXAM
from steelyard.bench.practice_exam import embedded as exams


def reference(prompt: str) -> str | None:
    """The right letters in this prompt; None if it is not a question of the hard exam."""
    return exams.reference(prompt, EXAM)


def guess(prompt: str, rng: random.Random) -> str | None:
    """As many random letters as the question asks for; None if it is not a question of the hard exam."""
    return exams.guess(prompt, rng) if any(text in prompt for text in items().values()) else None


def items() -> Mapping[str, str]:
    """Item id → the text by which its prompts are recognised."""
    return exams.items(EXAM)
