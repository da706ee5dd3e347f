"""Graded text as a judge sees it: cleaned, and in numbered sentences, so that evidence can be named by position. Pure.

`clean` is NFKC without invisible characters (`steelyard.text`), with one kind of line end, at most `TEXT_LIMIT`
characters, and with the turn markers of chat templates broken up so that no backend can take them for its own. It is
idempotent. Nothing visible is removed.

Every character of a cleaned text but white space is in exactly one sentence, in order. Short neighbours of one
paragraph share a number, because a number costs tokens. What looks like a number of ours inside the text is broken up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from steelyard.text import STRAIGHT, normalised

TEXT_LIMIT = 200_000
"""Characters of graded text a judge is shown; the rest is cut and flagged."""

LONGEST = 400
"""Characters after which a sentence is cut, so that a text without full stops is not one passage."""

_SHORTEST = 60
"""Characters below which a sentence is joined with the next one of its paragraph."""

_TURN_MARKERS = re.compile(r"([<\[])(?=\|\w|/?(?:INST|inst)\]|</?(?:SYS|sys)>>|/?[sS]>|(?:start|end)_of_turn>)")
# After the full stops of Chinese and Japanese, there is no space.
_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？])|\n")
_LABEL = re.compile(r"\[(?=\d+\])")


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
    return " ".join(clean(text).text.translate(STRAIGHT).split())


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a cleaned text; number n is at place n − 1."""
    return tuple(filter(None, (part for block in re.split(r"\n\s*\n", text) for part in _joined(_pieces(block)))))


def numbered(parts: Sequence[str], first: int = 1) -> str:
    """The sentences as a judge is shown them, each behind its number, the lowest of which is `first`."""
    return "\n".join(f"[{number}] {unlabelled(part)}" for number, part in enumerate(parts, first))


def unlabelled(text: str) -> str:
    """`text` without anything that could pass for a number of ours."""
    return _LABEL.sub("[ ", text)


def legible(text: str) -> bool:
    """Whether there is anything to read: a letter or a digit."""
    return any(character.isalnum() for character in text)


def _pieces(paragraph: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(paragraph):
        yield paragraph[start : end.end()]
        start = end.end()
    yield paragraph[start:]


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    pending = ""
    for piece in pieces:
        pending += piece
        while len(pending) > LONGEST:
            # Without any white space (−1 + 1), in the middle of a word.
            cut = max(pending.rfind(space, 1, LONGEST) for space in " \n\t") + 1 or LONGEST
            yield pending[:cut].strip()
            pending = pending[cut:]
        if len(pending.strip()) >= _SHORTEST:
            yield pending.strip()
            pending = ""
    yield pending.strip()
