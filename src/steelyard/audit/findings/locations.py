"""The places that a text names: `app/views.py:42`, `views.py, lines 10-12`, `L7`, `12行目`.

A line number on the same line as a file name belongs to the file named before it, or else to the one after it; one on
its own has no path. Every text takes linear time: each token is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from steelyard.audit.model import Location

_EXTENSIONS = frozenset(
    """bash bat c cc cfg clj cls conf cpp cs css csv cts dart env erl ex exs feature go gradle graphql groovy h hcl hpp
    hs html ini ipynb java js jsx json jsonc kt kts less lock lua md mjs mm mts php pl proto ps1 py pyx pyi rb rs rst
    sass scala scss sh sol sql svelte swift tf toml ts tsx txt vue xml yml yaml zig""".split()  # noqa: SIM905
)
"""Endings that make a word a file name; with any other ending it needs a line number."""
_PRODUCTS = frozenset(
    {"node.js", "next.js", "nuxt.js", "vue.js", "react.js", "express.js", "three.js", "d3.js", "asp.net"}
)
"""Names of products that look like files."""

_RANGE = r"(?:\s{0,2}(?:[-–—~〜～]|to|through|から)\s{0,2}L?(?P<last>\d{1,7}))?"
# `++` gives nothing back, so that a long token is read once. `image:3.11` ends in a version, not in a line number.
_TOKEN = re.compile(r"(?<![\w./\\@+-])(?P<path>[\w./\\@+-]++)(?:(?::|#L|\()(?P<line>\d{1,7})(?!\.?\d)" + _RANGE + ")?")
_LINES = re.compile(r"(?<!\w)(?:lines?\b|ll?\.|L(?=\d))[\s:#]{0,3}(?P<line>\d{1,7})" + _RANGE, re.IGNORECASE)
_LINES_JAPANESE = re.compile(r"(?<!\d)(?P<line>\d{1,7})" + _RANGE + r"\s?行(?:目|付近)")
_FILE = re.compile(r"^[\w./\\@+-]*[\w@+-]\.(?P<ending>[A-Za-z]\w{0,7})$")
_LONGEST_PATH = 255
_MOST = 200
"""Places kept of one text."""


class _Mention(NamedTuple):
    start: int
    path: str
    line: int | None
    end: int | None


def locations(text: str) -> tuple[Location, ...]:
    """The places named in a text, each once, in order; a file named without a line counts only if it never has one."""
    places: dict[Location, None] = {}
    for line in text.split("\n"):
        for mention in _of_line(line):
            places.setdefault(Location(mention.path, mention.line, mention.end))
        if len(places) >= _MOST:
            break
    with_lines = {place.path for place in places if place.line is not None}
    return tuple(place for place in places if place.line is not None or place.path not in with_lines)[:_MOST]


def _of_line(line: str) -> Iterator[_Mention]:
    """The mentions of one line, in order, with line numbers joined to their files."""
    files = [mention for token in _TOKEN.finditer(line) if "." in token["path"] and (mention := _file(token))]
    numbers = [_numbered(match) for pattern in (_LINES, _LINES_JAPANESE) for match in pattern.finditer(line)]
    path = files[0].path if files else ""
    for mention in sorted([*files, *numbers], key=lambda mention: mention.start):
        path = mention.path or path
        yield mention._replace(path=path)


def _file(token: re.Match[str]) -> _Mention | None:
    """A token as the name of a file, if it looks like one."""
    path = token["path"].rstrip(".").removeprefix("./").replace("\\", "/")
    shape = _FILE.match(path) if len(path) <= _LONGEST_PATH else None
    if shape is None or path.lower() in _PRODUCTS:
        return None
    if shape["ending"].lower() not in _EXTENSIONS and token["line"] is None:
        return None
    return _numbered(token)._replace(path=path) if token["line"] else _Mention(token.start(), path, None, None)


def _numbered(match: re.Match[str]) -> _Mention:
    first = int(match["line"])
    return _Mention(match.start(), "", first, max(first, int(match["last"] or first)))
