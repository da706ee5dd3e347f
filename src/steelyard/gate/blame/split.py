"""Markdown in pieces: sections by their headings, or list items and paragraphs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from steelyard.markdown import blocks

Grain = Literal["sections", "lines", "files"]
"""How finely a configuration is taken apart."""

_BULLETS = ("- ", "* ", "+ ")


class Stretch(NamedTuple):
    """Lines that belong together."""

    start: int
    end: int
    """One after the last; both count from 0."""
    title: str | None
    """The heading that it has, or stands below, if any. None stays."""


def stretches(text: str, grain: Grain) -> list[Stretch]:
    """The whole text in stretches, in order."""
    lines = text.split("\n")
    fenced = _fenced(lines)
    begin = _front_matter(lines)
    # Front matter stays: without it some clients do not load the file at all.
    found = [Stretch(0, begin, None)] if begin else []
    cut = _sections if grain == "sections" else _items
    return [*found, *cut(lines, begin, fenced)]


def pieces(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where each list item or paragraph of a passage begins and ends, with the heading and empty lines before it."""
    ends = [stretch.end for stretch in stretches("\n".join(lines), "lines") if stretch.title is not None][:-1]
    return list(pairwise([0, *ends, len(lines)]))


def _fenced(lines: Sequence[str]) -> set[int]:
    """The numbers of lines inside code fences."""
    ends = ((block.opening.line, len(lines) if block.end is None else block.end + 1) for block in blocks(lines))
    return {number for start, end in ends for number in range(start, end)}


def _front_matter(lines: Sequence[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number + 1 for number in range(1, len(lines)) if lines[number].rstrip() == "---"), 0)


def heading(line: str) -> str | None:
    """The title of a heading; None if the line is none."""
    # `#tag` without a space is text, as CommonMark has it.
    marks = len(line) - len(line.lstrip("#"))
    return (
        line[marks:].strip().rstrip("#").strip() if 1 <= marks <= 6 and line[marks : marks + 1] in (" ", "") else None
    )


def _sections(lines: Sequence[str], begin: int, fenced: set[int]) -> Iterator[Stretch]:
    # Headings of any level, so that sections below a section are judged by themselves; in a fence they are code.
    starts = [n for n in range(begin, len(lines)) if n not in fenced and heading(lines[n]) is not None]
    edges = sorted({begin, *starts, len(lines)})
    for start, end in pairwise(edges):
        title = heading(lines[start]) if start in starts else "(before the first heading)"
        body = lines[start + 1 : end] if start in starts else lines[start:end]
        # A bare heading says nothing: it stays.
        yield Stretch(start, end, title if any(line.strip() for line in body) else None)


def _items(lines: Sequence[str], begin: int, fenced: set[int]) -> Iterator[Stretch]:
    """List items with what is indented below them, and paragraphs; headings and empty lines stay."""
    start, kind, title = begin, "stays", ""
    for number in range(begin, len(lines)):
        line, now = lines[number], kind
        # Nothing begins inside a fence: its first line decides what all of it belongs to.
        if number not in fenced or number - 1 not in fenced:
            now = _kind(line, kind)
        if number > start and (now != kind or (now == "item" and _begins_item(line))):
            yield Stretch(start, number, None if kind == "stays" else title)
            start = number
        title = title if number in fenced else heading(line) or title
        kind = now
    yield Stretch(start, len(lines), None if kind == "stays" else title)


def _kind(line: str, before: str) -> str:
    if not line.strip() or heading(line) is not None:
        return "stays"
    # What follows an item without an empty line between belongs to it.
    return "item" if _begins_item(line) or before == "item" else "text"


def _begins_item(line: str) -> bool:
    word = line.lstrip()
    number = word.split(" ", 1)[0]
    return word.startswith(_BULLETS) or (number[:-1].isdecimal() and number[-1:] in (".", ")") and " " in word)
