"""Judges of the audit as real Inspect models: `examiner/NAME` replies with what a function makes of the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from ..codes import with_code

REPLIES: dict[str, Callable[[str, str], str]] = {}
"""Name → (system message, user message) → reply."""

SEEN: dict[str, list[tuple[str, str]]] = {}
"""What each judge was asked."""


class Examiner(ModelAPI):
    """A model that does as a test tells it."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        system, user = input[0].text, input[-1].text
        SEEN.setdefault(self.model_name, []).append((system, user))
        reply = with_code(REPLIES[self.model_name](system, user), user)
        output = ModelOutput.from_content(f"examiner/{self.model_name}", reply)
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output


@modelapi(name="examiner")
def examiner() -> type[ModelAPI]:
    return Examiner


def judge(name: str, reply: Callable[[str, str], str] | list[str]) -> str:
    """Register a judge; gives the name to ask for."""
    if isinstance(reply, list):
        waiting = iter(reply)
        REPLIES[name] = lambda system, user: next(waiting)
    else:
        REPLIES[name] = reply
    SEEN[name] = []
    return f"examiner/{name}"


def shown_findings(user: str) -> dict[str, str]:
    """The findings of a prompt by label."""
    parts = re.split(r"^\[\[(F\d+)\]\]$", user.partition("GRADED-")[2], flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def asked_problems(user: str) -> list[str]:
    """The problems of a matching question."""
    found = re.search(r"Mark the problems (.*)\.", user)
    return found.group(1).split(", ") if found else []


def asked_findings(user: str) -> list[str]:
    """The findings of a ruling question."""
    found = re.search(r"Rule on exactly these: (.*)\.", user)
    return found.group(1).split(", ") if found else []


def matching(claims: dict[str, tuple[str, str, str]], problems: list[str]) -> str:
    """A well-formed matching reply: problem → (finding, mark, quote)."""
    table: dict[str, Any] = {}
    for name in problems:
        given = [claims[name]] if name in claims else []
        candidates = [{"finding": finding, "mark": mark, "quote": quote} for finding, mark, quote in given]
        table[name] = {"candidates": candidates, "note": "so it is"}
    return json.dumps({"problems": table})


def rulings(verdicts: dict[str, str], asked: list[str]) -> str:
    """A well-formed ruling reply; neither where nothing is said."""
    entries = {name: {"verdict": verdicts.get(name, "neither"), "reason": "so", "repeats": None} for name in asked}
    return json.dumps({"findings": entries})
