"""Answers of the embedded subjects to architecture prompts: references for the ceiling, guesses for the floor.

A prompt is recognized by the text of a task anywhere in it. For any other prompt the answer is None, so that the other
sources can be tried.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from steelyard.bench.architecture_design.dataset import PACKAGE, load, references
from steelyard.bench.architecture_design.facts import Fact, fenced
from steelyard.bench.jsonl import read_text

GENERIC = tuple(read_text(PACKAGE, "generic.txt").splitlines())
"""Sentences that fit any cloud architecture and therefore say nothing about the one in question."""
SENTENCES = 11
"""Sentences in a floor answer."""
NUMBERS = (0, 1, 2, 3, 4, 5, 10, 12, 24, 60, 100, 500, 1000)
"""What the floor offers as numbers."""


def reference(prompt: str) -> str | None:
    """The expert answer to the task in this prompt; None if it contains no task."""
    return next((references()[item.id] for item in load() if item.input in prompt), None)


def guess(prompt: str, rng: random.Random) -> str | None:
    """Fluent text that says nothing specific to the task, and facts at random; None if the prompt contains no task."""
    return next((guessed(item.facts, rng) for item in load() if item.input in prompt), None)


def guessed(facts: Sequence[Fact], rng: random.Random) -> str:
    """Generic sentences, and a value at random for every fact."""
    talk = " ".join(rng.sample(GENERIC, SENTENCES))
    return f"{talk}\n\n{fenced({fact.name: _random(fact, rng) for fact in facts})}"


def items() -> Mapping[str, str]:
    """Item id → the text by which its prompts are recognised."""
    return {item.id: item.input for item in load()}


def _random(fact: Fact, rng: random.Random) -> object:
    if fact.kind == "truth":
        return rng.random() < 0.5
    if fact.kind == "number":
        return rng.choice(NUMBERS)
    if fact.kind == "set":
        return [option for option in fact.options if rng.random() < 0.5]
    return rng.choice(fact.options)
