"""Answers of the embedded subjects: reasons and right facts for the ceiling, a guess among the options for the floor.

A prompt is recognised by the text of a task anywhere in it. For any other prompt the answer is None.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping

from steelyard.bench.hard_architecture.dataset import load
from steelyard.bench.hard_architecture.model import Fact, FactsItem, Value

_NUMBERS = (0, 1, 2, 3, 4, 5, 10, 12, 24, 60, 100, 500, 1000)
"""What the floor offers as numbers."""


def reference(prompt: str) -> str | None:
    """The reasons, then the right facts; None if the prompt contains no task."""
    item = _item(prompt)
    return None if item is None else reference_answer(item)


def reference_answer(item: FactsItem) -> str:
    """The reference of one task."""
    reasons = "\n".join(f"- {fact.name}: {fact.why}" for fact in item.facts)
    return f"{reasons}\n\n{fenced(item.values)}"


def guess(prompt: str, rng: random.Random) -> str | None:
    """A value at random for every fact; None if the prompt contains no task."""
    item = _item(prompt)
    return None if item is None else fenced({fact.name: _random(fact, rng) for fact in item.facts})


def fenced(values: Mapping[str, Value]) -> str:
    """Facts in the form that is asked for."""
    return f"```json\n{json.dumps(dict(values), indent=2)}\n```"


def items() -> Mapping[str, str]:
    """Item id → the text by which its prompts are recognised."""
    return {item.id: item.input for item in load()}


def _random(fact: Fact, rng: random.Random) -> Value:
    if fact.kind == "yes_no":
        return rng.random() < 0.5
    if fact.kind == "number":
        return rng.choice(_NUMBERS)
    if fact.kind == "set":
        return [option for option in fact.options if rng.random() < 0.5]
    return rng.choice(fact.options)


def _item(prompt: str) -> FactsItem | None:
    return next((item for item in load() if item.input in prompt), None)
