"""A judge that compares two results, as a test wants it: what it is shown, and its reply in the right form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

_BLOCK = re.compile(r"<<<(\w+)\n(.*?)\n\1>>>", re.DOTALL)
_CODE = re.compile(r'`code` is "(\w+)"\.')
_ITEM = re.compile(r"^- ([a-z]{4}): (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
_QUOTED = re.compile(r"“(.+?)”")

Choose = Callable[[str, str, str], str]
"""(item, first result, second result) → first, second or even."""


class Compared(NamedTuple):
    """What a call shows."""

    items: dict[str, str]
    first: str
    second: str
    code: str

    def reply(self, choose: Choose, **changed: Any) -> str:
        """The whole reply, each choice resting on the first sentence of the better result."""
        starts = {side: int(_NUMBER.findall(getattr(self, side))[0]) for side in ("first", "second")}
        choices = [(name, choose(about, self.first, self.second)) for name, about in self.items.items()]
        rows = [
            {"id": name, "sentences": [starts[better]] if better in starts else [], "better": better}
            for name, better in choices
        ]
        return json.dumps({"code": self.code, "choices": rows, "rationale": "so it is", **changed})


def is_pair(system: str) -> bool:
    return '"choices": [' in system


def compared(user: str) -> Compared:
    """What a request of the comparison shows."""
    blocks = [found[2] for found in _BLOCK.finditer(user)]
    items = dict(_ITEM.findall(user[: user.index("<<<")]))
    return Compared(items, blocks[0], blocks[1], _CODE.findall(user)[-1])


def fairly(rules: dict[str, Callable[[str], bool]]) -> Choose:
    """Chooses by `rules` (item → whether a text meets it), and sees through decoys: named words, or nothing at all."""

    def choose(about: str, first: str, second: str) -> str:
        words = _QUOTED.findall(about)
        meets = rules.get(about) or (lambda text: bool(words) and all(word in text for word in words))
        return side(meets(first), meets(second))

    return choose


def side(first: bool, second: bool) -> str:
    return "even" if first == second else "first" if first else "second"
