"""Lists inside list items: points under a finding, or findings under the name of a category."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.audit.findings.lists import ITEM
from steelyard.audit.findings.phrases import gathers, is_field, says
from steelyard.audit.findings.sections import Line

_LABEL_WORDS = 6
_CLAIM_WORDS = 5
_DEEPEST = 8
"""Levels that are opened; deeper ones stay with their parent."""
_PLACE = re.compile(
    r"^(?:section|chapter|part|step|file|module|class|function|lines?|page|§)\W*[\w.:-]+$", re.IGNORECASE
)


class Child(NamedTuple):
    """An item with its lines, and the names of the categories above it."""

    lines: tuple[Line, ...]
    about: str


def children(lines: tuple[Line, ...], about: str = "", depth: int = 0) -> list[Child]:
    """The item itself, or the items below it when it only names what they are on."""
    below = _below(lines) if depth < _DEEPEST else []
    name = _name(lines[0].text)
    if len(below) < 2 or not _categorises(name, below):
        return [Child(lines, about)]
    name = name.rstrip(" :")
    inner = f"{about}: {name}" if about else name
    return [child for each in below for child in children(each, inner, depth + 1)]


def _below(lines: Sequence[Line]) -> list[tuple[Line, ...]]:
    """The items directly below the first line; none if other text stands between."""
    items = [place for place, line in enumerate(lines) if place and not line.code and ITEM.match(line.text)]
    between = lines[1 : items[0]] if items else ()
    if not items or any(line.text.strip() for line in between):
        return []
    level = min(_depth(lines[place]) for place in items)
    starts = [place for place in items if _depth(lines[place]) == level]
    return [tuple(lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _depth(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


def _name(text: str) -> str:
    item = ITEM.match(text)
    return re.sub(r"[*_`]+", "", item["text"] if item else text).strip()


def _categorises(name: str, below: Sequence[tuple[Line, ...]]) -> bool:
    """Whether a name is short and announces what stands below, and all of that can stand for itself."""
    if any(is_field(each[0].text) for each in below) or says(name, _LABEL_WORDS + 1) or is_field(f"{name}:"):
        return False
    if name.endswith(":") or gathers(name) or _PLACE.match(name):
        return True
    claims = all(says(" ".join(_name(line.text) for line in each), _CLAIM_WORDS) for each in below)
    return claims and len(name.split()) == 1
