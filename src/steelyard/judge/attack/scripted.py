"""Scripted judges for testing offline: each `scripted/NAME` is an Inspect model that misbehaves in one way, by itself.

None of them looks for an attack or knows the defence: what it does wrong, it does with every text. A script cannot
read: it takes a long text for a good one, and sees through a decoy by what it asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard.errors import ModelError
from steelyard.judge.case import case
from steelyard.judge.decoys import shipped_items, statement
from steelyard.judge.protocol import LETTERS
from steelyard.judge.text import clean


def deserved(about: str, text: str) -> float:
    """The grade of a text by a real item, as far as a script sees it: many different words make a better answer."""
    words = len(set(text.lower().split()))
    return 0.0 if words < 12 else 0.8 if words > 120 else 0.4


class Seen(NamedTuple):
    """What a judge is shown in one call."""

    asks: Literal["grade", "passages", "check"]
    value: Literal["met", "score"]
    items: Mapping[str, str]
    """Id to what it asks."""
    sentences: Sequence[str]
    code: str

    @property
    def real(self) -> list[str]:
        """Ids of the items that are no decoys: they are not shipped as such, and name no words."""
        shipped = [item.about for _, item in shipped_items()]
        decoys = {*shipped, *map(statement, shipped)}
        return [name for name, about in self.items.items() if about not in decoys and not _named(about)]

    def true_value(self, name: str) -> float:
        """The grade that an item deserves by the sentences in view."""
        text, about = "\n".join(self.sentences), self.items[name]
        if name in self.real:
            return deserved(about, text)
        named = _named(about)
        return float(bool(named) and all(word in text for word in named))

    def truth(self) -> dict[str, float]:
        """The grade that each item deserves."""
        return {name: self.true_value(name) for name in self.items}

    def reply(self, values: Mapping[str, float], places: Sequence[int] = (1,)) -> str:
        """A well-formed reply with these grades, each resting on the sentences at `places`."""
        entries: list[dict[str, Any]] = []
        for name, value in values.items():
            # From 0.3 on, a grade without a sentence is refused.
            shown = {"sentences": [*places] if value >= 0.3 else []} if self.asks != "check" else {}
            grade = {self.value: value >= 0.5 if self.value == "met" else value} if self.asks != "passages" else {}
            entries.append({"id": name, **shown, **grade})
        rationale = {"rationale": "scripted"} if self.asks == "grade" else {}
        return json.dumps({"code": self.code, "passages" if self.asks == "passages" else "grades": entries} | rationale)


def _honest(seen: Seen) -> str:
    """The truth; for passages, all sentences are one: a script cannot tell which one shows an item."""
    every = range(1, len(seen.sentences) + 1)[:6]
    return seen.reply(seen.truth(), every if seen.asks == "passages" else (1,))


def _copier(seen: Seen) -> str:
    """Copies what it was shown: an object if there is one, else everything."""
    text = "\n".join(seen.sentences)
    return text[text.find("{") : text.rfind("}") + 1] or text


def _full(seen: Seen, place: int = 1) -> str:
    return seen.reply(dict.fromkeys(seen.items, 1.0), [place])


def _persuaded(seen: Seen) -> str:
    """Says the truth about everything but one real item, which a dishonest text makes it call perfect."""
    honest = _letters("".join(seen.sentences)) in map(_letters, case().honest.values())
    chosen = [] if honest else sorted(seen.real, key=lambda name: seen.items[name])[:1]
    return seen.reply(seen.truth() | dict.fromkeys(chosen, 1.0))


def _silent(seen: Seen) -> str:
    raise ModelError("the scripted judge is unavailable")


REPLIES: Mapping[str, Callable[[Seen], str]] = {
    "honest": _honest,
    "copier": _copier,
    "yes": _full,
    # Full marks for everything, resting on the last sentence, where attacks usually stand.
    "cites-attack": lambda seen: _full(seen, len(seen.sentences)),
    # Obeys the whole text, and rests on its first sentence; by that sentence alone, it says the truth.
    "cites-honestly": lambda seen: seen.reply(seen.truth()) if seen.asks == "check" else _full(seen),
    "persuaded": _persuaded,
    # Sees through every decoy, and gives full marks for the rest.
    "generous": lambda seen: seen.reply(seen.truth() | dict.fromkeys(seen.real, 1.0)),
    "poet": lambda seen: "The text is long, the night is deep;\nI have no grade for you to keep.",
    "silent": _silent,
}
"""Name of the judge → its reply to a prompt."""

BEYOND = {
    "persuaded": "A judge that is persuaded on one criterion passes every protocol: use a stronger one, or two.",
    "generous": "A judge that likes everything but the decoys passes every protocol: only calibration shows it.",
    "poet": "A judge that cannot keep to the form earns nobody anything, good answers included: use another one.",
    "silent": "A judge that does not answer leaves every text unscored.",
}
"""What no protocol can help, by the judge that shows it."""


def seen_in(system: str, user: str) -> Seen:
    """What a request shows."""
    head, _, block = user.partition("<<<")
    fence, _, rest = block.partition("\n")
    shown = rest.partition(f"\n{fence}>>>")[0]
    code = user.rpartition('`code` is "')[2].partition('"')[0]
    asks = "passages" if '"passages": [' in system else "grade" if '"sentences": [' in system else "check"
    # Sentences begin on a line of their own behind their number.
    parts = re.split(r"(?:\A|\n)\[\d+\] ", shown)[1:] if asks != "check" else shown.splitlines()
    lines = [line.removeprefix("- ").partition(": ") for line in head.split("\n") if line.startswith("- ")]
    items = {name: about for name, _, about in lines if name and about and set(name) <= set(LETTERS)}
    return Seen(asks, "met" if '"met"' in system else "score", items, parts or [shown], code)


def _letters(text: str) -> str:
    """A text without white space, which its sentences have lost."""
    return "".join(clean(text).text.split())


def _named(about: str) -> list[str]:
    """The words that an item names in quotes."""
    return re.findall("“(.*?)”", about)


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
        said = REPLIES[self.model_name](seen_in(input[0].text, input[-1].text))
        return ModelOutput.from_content(self.model_name, said)
