"""`steelyard/partial-N`: the reference answers with a known share of the items withheld. Not a language model.

Of the n items of a category it answers round(n · N / 100) with their reference and says that it does not know the
others. Which ones is drawn per item from a seed: the items are ordered by sha256("seed:N:item id") and the first are
known, so the same items are known in any order, process and machine, and each share draws its own. Seed, share and
whether the item is known are in the metadata of every answer. It exists so that ranks, ties and pairs can be seen
without a key; `-M seed=7` draws other items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard.errors import ModelError, one_line
from steelyard.models import answers
from steelyard.models.baseline import UNKNOWN, looked_up, prompt_text

DEFAULT_SEED = 0
"""Which items are withheld unless `-M seed=N` asks for others."""


def is_partial(name: str) -> bool:
    """Whether `name` (without the provider) is one of these subjects."""
    return name.startswith("partial-")


class Partial(ModelAPI):
    """A subject of known skill."""

    def __init__(self, model_name: str, config: GenerateConfig, seed: int | str = DEFAULT_SEED, **_: Any) -> None:
        super().__init__(model_name, None, None, [], config)
        share = model_name.removeprefix("partial-")
        # Compared as text, because `07` and `7` would be one subject with two names.
        if share not in map(str, range(1, 100)):
            cure = "a whole number from 1 to 99, such as steelyard/partial-70"
            raise ModelError(f"steelyard/{one_line(model_name, 40)} names no share", cure=cure)
        if isinstance(seed, bool) or not str(seed).isdecimal():
            raise ModelError(f"seed is {one_line(str(seed), 40)}, not a whole number from 0 up")
        self.share, self.seed = int(share), int(seed)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        prompt = prompt_text(input)
        place = answers.place(prompt)
        known = place is not None and place.item in known_items(place.siblings, self.share, self.seed)
        output = looked_up(self.model_name, (answers.reference(prompt) if known else None) or UNKNOWN)
        output.metadata = {"partial": {"share": self.share, "seed": self.seed, "known": known}}
        return output

    def max_connections(self) -> int:
        return 64


def known_items(items: Sequence[str], share: int, seed: int) -> frozenset[str]:
    """The items that a subject with this share and seed answers."""
    ordered = sorted(items, key=lambda item: hashlib.sha256(f"{seed}:{share}:{item}".encode()).digest())
    return frozenset(ordered[: round(len(ordered) * share / 100)])
