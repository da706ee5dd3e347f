"""Graded text before it is judged: normalised, and stripped of what no reader sees.

`clean` is NFKC without invisible characters (`steelyard.text`), with one kind of line end, at most `TEXT_LIMIT`
characters, and with the turn markers of chat templates broken up so that no backend can take them for its own. It is
idempotent. Nothing visible is removed.
`flags` say what was done to the text and whether it holds a comment that no reader of the rendered text sees. They are
hints for a reader, recorded beside the verdict, and never change it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from steelyard.text import STRAIGHT, normalised

TEXT_LIMIT = 200_000
"""Characters of graded text a judge is shown; the rest is cut and flagged."""

_TURN_MARKERS = re.compile(r"([<\[])(?=\|\w|/?(?:INST|inst)\]|</?(?:SYS|sys)>>|/?[sS]>|(?:start|end)_of_turn>)")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Graded text as the judge sees it."""

    text: str
    flags: tuple[str, ...]
    """Sorted names: `cut`, `html_comment`, `invisible`, `turn_marker`."""


def clean(text: str) -> Cleaned:
    """`text` as a judge may see it, and what was done to it."""
    shown, removed = normalised(text[:TEXT_LIMIT], TEXT_LIMIT)
    marked = _TURN_MARKERS.search(shown) is not None
    shown = _TURN_MARKERS.sub(r"\1 ", shown)
    signs = {
        "cut": max(len(text), len(shown)) > TEXT_LIMIT,  # one character can unfold into eighteen
        "html_comment": "<!--" in shown,
        "invisible": bool(removed),
        "turn_marker": marked,
    }
    return Cleaned(shown[:TEXT_LIMIT], tuple(name for name, seen in signs.items() if seen))


def fold(text: str) -> str:
    """`text` for finding a quote in it: cleaned, straight quotes and dashes, single spaces."""
    plain = normalised(text, TEXT_LIMIT).text
    return " ".join(_TURN_MARKERS.sub(r"\1 ", plain).translate(STRAIGHT).split())
