"""Answers of the embedded baselines to a hard CDK prompt: the ceiling gives the reference, the floor never passes."""

from __future__ import annotations

import random
from collections.abc import Mapping

from steelyard.bench.cdk_synth.embedded import floor_answer
from steelyard.bench.hard_cdk.dataset import load
from steelyard.bench.hard_cdk.dataset import reference as solution
from steelyard.bench.hard_cdk.model import HardItem


def items() -> Mapping[str, str]:
    """Item id → the text by which its prompts are recognised."""
    return {item.id: item.input for item in load()}


def _item(prompt: str) -> HardItem | None:
    return next((item for item in load() if item.input in prompt), None)


def reference(prompt: str) -> str | None:
    """The reference as an answer, or None if the prompt is not in the dataset."""
    item = _item(prompt)
    return None if item is None else f"{item.metadata.title.capitalize()}:\n\n```python\n{solution(item.id)}```\n"


def guess(prompt: str, rng: random.Random) -> str | None:
    """An answer that looks right and never synthesizes, or None if the prompt is not in the dataset."""
    item = _item(prompt)
    return None if item is None else floor_answer(item.metadata.title, item.metadata.aws_services, rng)
