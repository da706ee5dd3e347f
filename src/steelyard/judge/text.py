"""Graded text before it is judged: normalised, stripped of what no reader sees, and flagged.

Law: `clean` is NFKC without invisible characters (`steelyard.text`), with one kind of line end, at most `TEXT_LIMIT`
characters, and with the turn markers of chat templates broken up so that no backend can take them for its own. It is
idempotent. Nothing visible is removed.
`flags` name what looked like an attempt on the judge; they are recorded beside the verdict and never change it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from steelyard.judge.injection import injection_signs
from steelyard.text import STRAIGHT, normalised

TEXT_LIMIT = 200_000
"""Characters of graded text a judge is shown; the rest is cut and flagged."""

_TURN_MARKERS = re.compile(r"([<\[])(?=\|\w|/?(?:INST|inst)\]|</?(?:SYS|sys)>>|/?[sS]>|(?:start|end)_of_turn>)")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Graded text as the judge sees it."""

    text: str
    flags: tuple[str, ...]
    """Sorted names: `cut`, `encoded`, `html_comment`, `instruction`, `invisible`, `mixed_script`, `turn_marker`,
    `verdict_object`."""


def clean(text: str) -> Cleaned:
    """`text` as a judge may see it, and what was suspicious about it."""
    shown, flags = text[:TEXT_LIMIT], set[str]()
    if len(text) > TEXT_LIMIT:
        flags.add("cut")
    shown, removed = normalised(shown, TEXT_LIMIT)
    if removed:
        flags.add("invisible")
    if ("<" in shown or "[" in shown) and _TURN_MARKERS.search(shown):
        shown = _TURN_MARKERS.sub(r"\1 ", shown)
        flags.add("turn_marker")
    if len(shown) > TEXT_LIMIT:  # one character can unfold into eighteen
        shown = shown[:TEXT_LIMIT]
        flags.add("cut")
    return Cleaned(shown, tuple(sorted(flags | injection_signs(shown))))


def fold(text: str) -> str:
    """`text` for finding a quote in it: cleaned, straight quotes and dashes, single spaces."""
    plain = normalised(text, TEXT_LIMIT).text
    return " ".join(_TURN_MARKERS.sub(r"\1 ", plain).translate(STRAIGHT).split())
