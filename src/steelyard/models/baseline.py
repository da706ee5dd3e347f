"""`steelyard/ceiling` and `steelyard/floor`: the best and the worst score that can be expected.

The ceiling answers every item with its reference; the floor guesses from a seed. Both are baselines: reports mark them
and do not rank them. A prompt that belongs to no item gets a fixed reply.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard.models import answers

UNKNOWN = "I do not know this item."


class Baseline(ModelAPI):
    """A model that looks up its answers in this process."""

    def __init__(self, model_name: str, answer: Callable[[str, int], str | None], config: GenerateConfig) -> None:
        super().__init__(model_name, None, None, [], config)
        self._answer = answer

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        return looked_up(self.model_name, self._answer(prompt_text(input), config.seed or 0) or UNKNOWN)

    def max_connections(self) -> int:
        return 64


def prompt_text(messages: list[ChatMessage]) -> str:
    """What the user asks, without the system message."""
    return "\n\n".join(message.text for message in messages if message.role == "user")


def looked_up(model_name: str, text: str) -> ModelOutput:
    """An answer that was looked up: it used no tokens, and the log says so instead of leaving the usage unknown."""
    output = ModelOutput.from_content(f"steelyard/{model_name}", text)
    output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
    return output


def ceiling(model_name: str, config: GenerateConfig, **_: Any) -> ModelAPI:
    """Answers every item with its reference."""
    return Baseline(model_name, lambda prompt, seed: answers.reference(prompt), config)


def floor(model_name: str, config: GenerateConfig, **_: Any) -> ModelAPI:
    """Guesses: the same prompt and seed give the same guess, in any order and in any process."""
    return Baseline(model_name, _seeded_guess, config)


def _seeded_guess(prompt: str, seed: int) -> str | None:
    digest = hashlib.sha256(f"{seed}\n{prompt}".encode("utf-8", "replace")).digest()
    return answers.guess(prompt, random.Random(digest))
