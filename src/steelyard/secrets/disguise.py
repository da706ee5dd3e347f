"""Finds a secret in whatever spelling programs give it: only letters and digits are compared. Pure.

Law: two texts say the same if their letters and digits do, in either case, with escapes (`\\x41`, `\\u0041`, `%41`,
`&#65;`, `0x41`) read as what they stand for and everything else left out: quotes, line ends, spaces, dashes, colours.
A value is looked for forwards, backwards, in base64 (also amid more), base32, hexadecimal and rot13, and by its first
and last two thirds, which remain of it where a text is cut.
"""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

LEAST = 8
"""Letters and digits that a spelling needs; shorter ones are parts of ordinary words."""

LEAST_CUT = 12
"""The same for what remains of a value that was cut."""

_ESCAPE = (
    r"\\+u(?P<u>[0-9a-f]{4})|\\+u\{(?P<point>[0-9a-f]{1,6})\}|\\+x(?P<x>[0-9a-f]{2})|%(?:25)*(?P<percent>[0-9a-f]{2})"
    r"|&#x(?P<entity>[0-9a-f]{1,5});|&#0*(?P<code>\d{1,6});|\b0x(?P<byte>[0-9a-f]{2})\b|\\+[nrt]|\x1b\[[\d;]*m|&(?:amp|lt|gt|quot|apos|nbsp);"
)
_LETTER = re.compile(rf"{_ESCAPE}|[^\W_]", re.IGNORECASE)
_ESCAPED = re.compile(_ESCAPE, re.IGNORECASE)
_OTHERS = re.compile(r"[\W_]+")


def redact_disguised(text: str, secrets: Sequence[tuple[str, Sequence[str]]]) -> str:
    """`text` with every occurrence of a spelling replaced by the name that it is given with, in brackets."""
    known = _letters(text) if secrets else ""
    found = [(name, spelling) for name, each in secrets for spelling in each if spelling in known]
    if not found:  # as nearly always; finding the places takes much longer
        return text
    letters, places = _read(text)
    spans = sorted(
        (places[at][0], places[at + len(spelling) - 1][1], name)
        for name, spelling in found
        for at in _occurrences(letters, spelling)
    )
    parts, end = list[str](), 0
    for start, stop, name in spans:
        if start >= end:
            parts += [text[end:start], f"[{name}]"]
        end = max(end, stop)
    return "".join([*parts, text[end:]])


def holds(text: str, spelled: Sequence[str]) -> bool:
    """Whether one of these spellings is in `text`."""
    letters = _letters(text)
    return any(spelling in letters for spelling in spelled)


@lru_cache(maxsize=256)
def spellings(value: str) -> tuple[str, ...]:
    """The letters and digits of a value in every spelling that is long enough to be looked for."""
    data = value.strip().encode("utf-8", "surrogateescape")
    once = base64.b64encode(data)
    ways = (
        value,
        value[::-1],
        codecs.encode(value, "rot13"),
        data.decode("latin-1"),
        *(_inside_base64(data, before) for before in range(3)),
        *(_inside_base64(once, before) for before in range(3)),
        base64.b32encode(data).decode(),
    )
    whole = [_letters(way) for way in ways] + [data.hex()]
    cut = -(-len(whole[0]) * 2 // 3)
    pieces = [whole[0][:cut], whole[0][-cut:]] if cut >= LEAST_CUT else []
    return tuple(dict.fromkeys(letters for letters in (*whole, *pieces) if len(letters) >= LEAST))


def _letters(text: str) -> str:
    """The letters and digits of a text."""
    return _OTHERS.sub("", _ESCAPED.sub(_meant, text)).lower()


def _read(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The same, and where each of them stands."""
    letters, places = list[str](), list[tuple[int, int]]()
    for match in _LETTER.finditer(text):
        for letter in _OTHERS.sub("", _meant(match)).lower():
            letters.append(letter)
            places.append(match.span())
    return "".join(letters), places


def _meant(match: re.Match[str]) -> str:
    if len(match[0]) == 1:
        return match[0]
    digits = next((match[kind] for kind in ("u", "point", "x", "percent", "entity", "byte") if match[kind]), None)
    code = int(digits, 16) if digits else int(match["code"] or 0)
    return chr(code) if 0 < code < 0x110000 else ""


def _occurrences(letters: str, spelling: str) -> Iterator[int]:
    at = letters.find(spelling)
    while at >= 0:
        yield at
        at = letters.find(spelling, at + len(spelling))


def _inside_base64(data: bytes, before: int) -> str:
    """The letters that `data` alone decides in base64 if so many bytes, modulo three, come before it (`user:…`)."""
    letters = base64.b64encode(bytes(before) + data).decode()
    return letters[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
