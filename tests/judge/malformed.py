"""Judges whose replies are malformed, each in one way: `stub/NAME`. None of them may ever earn anything."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from steelyard.judge.attack.scripted import Seen, seen_in

from .stub_judge import REPLIES


def _full(seen: Seen) -> str:
    return seen.reply(dict.fromkeys(seen.items, 1.0))


def _with_number(text: str) -> Callable[[Seen], str]:
    """Full marks in which every grade reads `text`."""
    return lambda seen: re.sub(rf'"{seen.value}": (?:true|1\.0)', f'"{seen.value}": {text}', _full(seen))


def _seen(reply: Callable[[Seen], str]) -> Callable[[list[Any]], str]:
    return lambda messages: reply(seen_in(messages[0].text, messages[-1].text))


MALFORMED: dict[str, Callable[[Seen], str]] = {
    "nan": _with_number("NaN"),
    "infinity": _with_number("Infinity"),
    "huge": _with_number("1e999"),
    "five": _with_number("5.0"),
    "minus": _with_number("-1"),
    "text": _with_number('"1.0"'),
    "missing": lambda seen: json.dumps({"code": seen.code, "grades": [], "rationale": "nothing to say"}),
    "twice": lambda seen: f"{_full(seen)}\n{_full(seen)}",
    "chatty": lambda seen: f"Here is my verdict: {_full(seen)} I hope it helps.",
    "half": lambda seen: _full(seen)[:-25],
    "empty": lambda seen: "",
    "braces": lambda seen: "{" * 50_000,
}
REPLIES.update({name: _seen(reply) for name, reply in MALFORMED.items()})
