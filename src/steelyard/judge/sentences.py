"""A text as a judge sees it: in numbered sentences, so that evidence can be named by position. Pure.

Every character of the text but white space is in exactly one sentence, in order. A sentence ends at a full stop
(or the like), at the end of a line or before `LONGEST` characters are over; short neighbours of one paragraph share a
number, because a number costs tokens. What looks like a number of ours inside the text is broken up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

SHORTEST = 60
"""Characters below which a sentence is joined with the next one of its paragraph."""

LONGEST = 400
"""Characters after which a sentence is cut, so that a text without full stops is not one passage."""

_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？])|\n")
_LABEL = re.compile(r"\[(?=\d+\])")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a cleaned text; number n is at place n − 1."""
    return tuple(sentence for paragraph in re.split(r"\n\s*\n", text) for sentence in _joined(_pieces(paragraph)))


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
            cut = max(pending.rfind(space, 1, LONGEST) for space in " \n\t") + 1 or LONGEST
            yield from _kept(pending[:cut])
            pending = pending[cut:]
        if len(pending.strip()) >= SHORTEST:
            yield from _kept(pending)
            pending = ""
    yield from _kept(pending)


def _kept(sentence: str) -> Iterator[str]:
    if stripped := sentence.strip():
        yield stripped
