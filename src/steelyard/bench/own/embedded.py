"""Answers of the embedded subjects to items of your own: references for the ceiling, generic text for the floor."""

from __future__ import annotations

import random

from steelyard.bench.architecture_design.dataset import right_facts
from steelyard.bench.architecture_design.embedded import GENERIC, SENTENCES, guessed
from steelyard.bench.cdk_synth.embedded import GUESSES
from steelyard.bench.own.model import AppItem, ArchitectureItem, ExamItem, OwnItem, TextItem
from steelyard.bench.own.read import OwnCategoryData
from steelyard.bench.practice_exam.embedded import answer_for
from steelyard.models.answers import Source, register


def register_answers(unit: str, data: OwnCategoryData) -> None:
    """Let the embedded subjects answer the items of a category."""
    items = sorted(data.items, key=lambda item: -len(item.input))  # a prompt inside another must not match first

    def find(prompt: str) -> OwnItem | None:
        return next((item for item in items if item.input.strip() in prompt), None)

    def reference(prompt: str) -> str | None:
        item = find(prompt)
        return None if item is None else reference_answer(item, prompt)

    def guess(prompt: str, rng: random.Random) -> str | None:
        item = find(prompt)
        return None if item is None or isinstance(item, ExamItem) else _guess(item, rng)

    register(Source(unit, reference, guess, lambda: {item.id: item.input.strip() for item in items}))


def reference_answer(item: OwnItem, prompt: str) -> str | None:
    """The answer that earns full marks; None if an exam's choices are not those of the prompt."""
    if isinstance(item, ExamItem):
        return answer_for(prompt, item.input.strip(), item.choices, item.right)
    if isinstance(item, AppItem):
        return f"```python\n{item.reference.strip()}\n```\n"
    if isinstance(item, ArchitectureItem):
        return f"{item.reference.strip()}\n\n{right_facts(item.facts)}"
    return item.reference if isinstance(item, TextItem) else None


def _guess(item: OwnItem, rng: random.Random) -> str:
    if isinstance(item, AppItem):
        code = rng.choice(list(GUESSES.values())).replace("{name}", "OwnStack")
        return f"```python\n{code}```\n"
    return guessed(item.facts, rng) if isinstance(item, ArchitectureItem) else " ".join(rng.sample(GENERIC, SENTENCES))
