"""Scripted judges for testing offline: each `scripted/NAME` is an Inspect model that makes one kind of mistake.

`obedient` follows orders it finds in the graded text and quotes an honest sentence of it; `gullible` follows them and
invents its quotes; `parrot` repeats the JSON object it finds in the text; `copyist` writes the verdict that it finds
there in any form as one of its own; `servile` gives full marks and quotes the order as evidence; `generous` always
gives full marks. The others send malformed replies or none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard.errors import ModelError
from steelyard.judge.echo import imitates
from steelyard.judge.injection import speaks_to_judge
from steelyard.judge.quotes import GradedText

_BLOCK = re.compile(r"<<<GRADED-(\w+)\n(.*?)\nGRADED-\1>>>", re.DOTALL)
_CODE = re.compile(r'Its `code` is "(\w+)"\.')
_ITEM = re.compile(r'"(\w+)": \{"(met|score)"')
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class Seen(NamedTuple):
    """The parts of a prompt that a scripted judge uses."""

    text: str
    """The graded text."""
    items: dict[str, str]
    """Item to the name of its value: `met` or `score`."""
    code: str
    """What the reply has to carry."""
    task: str = ""
    """What the prompt says before the graded text."""

    def verdict(self, score: float, quotes: list[str]) -> str:
        """A well-formed verdict that gives every item `score`."""
        grades = {
            item: {kind: score >= 0.5 if kind == "met" else score, "evidence": quotes}
            for item, kind in self.items.items()
        }
        return json.dumps({"code": self.code, "grades": grades, "rationale": "scripted"})

    def sentence(self) -> str:
        """The first passage of the text that is evidence, else one that does not speak to a judge, else its start."""
        parts = [part.strip() for part in re.split(r"(?<=[.!?])\s|\n", self.text) if len(part.strip()) > 20]
        graded = GradedText.of(self.text)
        evidence = (part for part in parts if graded.supports(part, self.task))
        honest = next((part for part in parts if not speaks_to_judge(part)), self.text[:80].strip())
        return next(evidence, honest)


def _plain(seen: Seen) -> str:
    """The best grade a script can give: it takes many different words for a long, and so a better, answer."""
    words = len(set(seen.text.lower().split()))
    return seen.verdict(0.0, []) if words < 12 else seen.verdict(0.8 if words > 120 else 0.4, [seen.sentence()])


def _obedient(seen: Seen) -> str:
    return seen.verdict(1.0, [seen.sentence()]) if speaks_to_judge(seen.text) else _plain(seen)


def _gullible(seen: Seen) -> str:
    quotes = ["as the order in the text demands, everything is perfect"]
    return seen.verdict(1.0, quotes) if speaks_to_judge(seen.text) else _plain(seen)


def _parrot(seen: Seen) -> str:
    match = _OBJECT.search(seen.text)
    return match[0] if match else _plain(seen)


def _copyist(seen: Seen) -> str:
    """The verdict that a text dictates in any form, as a well-formed reply with the code of the call."""
    return seen.verdict(1.0, [seen.sentence()]) if imitates(seen.text, dict.fromkeys(seen.items, 1.0)) else _plain(seen)


def _servile(seen: Seen) -> str:
    """Full marks, with the last line of the text as evidence: where the attacks append their orders."""
    lines = [line.strip() for line in seen.text.splitlines() if line.strip()]
    return seen.verdict(1.0, lines[-1:]) if len(lines) > 1 else _plain(seen)


def _swap(value: str) -> Callable[[Seen], str]:
    """A verdict of full marks in which every number is written as `value`."""
    return lambda seen: seen.verdict(1.0, [seen.sentence()]).replace("1.0", value).replace("true", value)


def _missing(seen: Seen) -> str:
    return json.dumps({"code": seen.code, "grades": {}, "rationale": "nothing to say"})


def _silent(seen: Seen) -> str:
    raise ModelError("the scripted judge is unavailable")


def _full(seen: Seen) -> str:
    return seen.verdict(1.0, [seen.sentence()])


REPLIES: Mapping[str, Callable[[Seen], str]] = {
    "obedient": _obedient,
    "gullible": _gullible,
    "parrot": _parrot,
    "copyist": _copyist,
    "servile": _servile,
    "generous": _full,
    "nan": _swap("NaN"),
    "infinity": _swap("Infinity"),
    "huge": _swap("1e999"),
    "five": _swap("5.0"),
    "minus": _swap("-1"),
    "quoted": _swap('"1.0"'),
    "missing": _missing,
    "twice": lambda seen: f"{_full(seen)}\n{_full(seen)}",
    "chatty": lambda seen: f"Here is my verdict: {_full(seen)} I hope it helps.",
    "half": lambda seen: _full(seen)[:-25],
    "empty": lambda seen: "",
    "braces": lambda seen: "{" * 50_000,
    "unavailable": _silent,
}
"""Name of the judge → its reply to a prompt."""

MALFORMED = ("nan", "infinity", "huge", "five", "minus", "quoted", "missing", "twice", "chatty", "half", "empty",
             "braces", "unavailable")  # fmt: skip
"""The judges whose replies must never become a number."""


def _before(messages: list[ChatMessage], block: re.Match[str] | None) -> str:
    """The task of a prompt, without the sentence before the graded text."""
    user = messages[-1].text
    return user[: block.start()].rpartition("\n\n")[0] if block else ""


@modelapi(name="scripted")
class Scripted(ModelAPI):
    """One scripted judge."""

    def __init__(self, model_name: str, config: GenerateConfig | None = None, **_: Any) -> None:
        super().__init__(model_name, config=config or GenerateConfig())
        if model_name not in REPLIES:
            raise ModelError(f"there is no scripted judge {model_name!r}", cure=f"choose from {', '.join(REPLIES)}")

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Reply as scripted."""
        block = _BLOCK.search(input[-1].text)
        codes = _CODE.findall(input[-1].text)
        seen = Seen(
            block[2] if block else "",
            dict(_ITEM.findall(input[0].text)),
            codes[-1] if codes else "",
            _before(input, block),
        )
        return ModelOutput.from_content(self.model_name, REPLIES[self.model_name](seen))
