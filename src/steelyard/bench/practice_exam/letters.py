"""Reads the letters from a reply as models write them (docs/scoring.md §1.3).

The last line that begins with a label (`ANSWER:`, `**Final answer:**`, `The correct answer is:`) decides. After it come
the letters, in any markup (`"B"`, `**B**`, `[A, C]`, `\\boxed{B}`), with their texts (`B) Use S3`) or with a reason
(`B because …`). A reply that leaves the choice open (`A or B`, `B (maybe C)`), names a letter that is not a choice, or
begins with an article (`A bucket policy`) has no readable letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LABEL = re.compile(
    r"^[\s>#*_\-•`]*(?:(?:so|therefore|thus|hence),?\s+)?(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)?"
    r"(?:answers?|letters?)(?:\s+(?:is|are))?[\s*_`]*[:：=][\s*_`]*"
    r"|^#{1,6}[ \t*_]*(?:final\s+)?answers?[ \t*_]*\n+",
    re.IGNORECASE | re.MULTILINE,
)
_MARKUP = re.compile(r"\\(?:boxed|text|mathrm|mathbf)|[*_`\"'“”‘’«»$\[\]{}<>]")
_LEAD = re.compile(r"(?:(?:both|options?|choices?|letters?|answers?|the)\s+)*", re.IGNORECASE)
_LETTER = re.compile(r"\(?([A-Za-z])\)?(?![\w'])")
_RUN = re.compile(r"([A-Za-z]{2,10})(?!\w)")
_SEPARATOR = re.compile(
    r"[ \t]*(?:,\s*and\b|,\s*&|[,;/&+]|\band\b)[ \t]*(?:(?:options?|choices?)\s+)?(?=\(?[A-Za-z]\)?(?![\w']))",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\n[ \t]*[-•][ \t]*(?=\(?[A-Z]\b)")
_SPACE = re.compile(r"[ \t]+(?=\(?[A-Z]\)?(?:[\s,.;:)]|$))")
_OPEN = re.compile(
    r"^\s*\?|^\W*(?:or|maybe|perhaps|possibly|vs|versus|alternatively)\b"
    r"|\b(?:or|maybe|perhaps|possibly|alternatively|rather)\W+(?:option\s+|choice\s+)?[A-Z]\b"
)
_REASON = re.compile(r"(?:because|since|as|is|are|due|for|given|which|that|—|–|-|\(|:|\.|,|;|\)|!|$)", re.IGNORECASE)
_LISTED = re.compile(r"(?:^|[\n,;])\s*(?:and\s+)?\(?([A-Z])\s*[).:\-–—]\s*(?=\S)")


def read_letters(reply: str, choices: Sequence[str], *, several: bool) -> frozenset[str] | None:
    """The letters of a reply; empty if they cannot be read, None if no line is labelled as the answer."""
    labels = list(_LABEL.finditer(reply))
    if not labels:
        return None
    text = _BULLET.sub(", ", "\n" + _MARKUP.sub("", reply[labels[-1].end() :]).strip()).lstrip(", \n")
    allowed = {chr(ord("A") + place): choice for place, choice in enumerate(choices)}
    return _several(text, allowed) if several else _single(text, allowed)


def _single(text: str, allowed: dict[str, str]) -> frozenset[str]:
    letters, rest = _leading(text)
    if len(set(letters)) != 1 or letters[0] not in allowed or not _closed(letters[-1], rest, allowed):
        return frozenset()
    return frozenset(letters)


def _several(text: str, allowed: dict[str, str]) -> frozenset[str]:
    if listed := _with_texts(text, allowed):
        return listed
    letters, rest = _leading(text)
    if not letters:
        run = _RUN.match(text)
        letters, rest = (list(run[1].upper()), text[run.end() :]) if run else ([], text)
    if not letters or not set(letters) <= allowed.keys() or not _closed(letters[-1], rest, allowed):
        return frozenset()
    return frozenset(letters)


def _leading(text: str) -> tuple[list[str], str]:
    """The letters at the beginning of a text, and what follows them."""
    position = lead.end() if (lead := _LEAD.match(text)) else 0
    letters: list[str] = []
    while (letter := _LETTER.match(text, position)) is not None:
        letters.append(letter[1].upper())
        position = letter.end()
        separator = _SEPARATOR.match(text, position) or _SPACE.match(text, position)
        if separator is None:
            break
        position = separator.end()
    return letters, text[position:]


def _closed(letter: str, rest: str, allowed: dict[str, str]) -> bool:
    """Whether what follows the last letter leaves no doubt that it is a letter and the only choice."""
    line = rest.split("\n", 1)[0]
    if _OPEN.search(line):
        return False
    following = line.lstrip()
    if _REASON.match(following) or _starts_with(following, allowed[letter]):
        return True
    return letter != "A" and following[:1].isupper()


def _with_texts(text: str, allowed: dict[str, str]) -> frozenset[str]:
    """`A) one, C) two`, also one per line: only if each letter is followed by its own choice, or stands on its line."""
    letters = [match[1] for match in _LISTED.finditer(text)]
    if len(letters) < 2 or not set(letters) <= allowed.keys() or len(set(letters)) != len(letters):
        return frozenset()
    if _OPEN.search(text.split("\n", 1)[0]):
        return frozenset()
    ends = [match.end() for match in _LISTED.finditer(text)]
    own = all(_starts_with(text[end:], allowed[letter]) for letter, end in zip(letters, ends, strict=True))
    lines = [line for line in text.splitlines() if line.strip()]
    return frozenset(letters) if own or len(lines) == len(letters) else frozenset()


def _starts_with(text: str, choice: str) -> bool:
    words, own = (re.findall(r"\w+", part.lower()) for part in (text, choice))
    length = min(3, len(own))
    return length > 0 and words[:length] == own[:length]
