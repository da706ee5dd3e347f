"""A scoring file as lines and table rows, each with the titles above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steelyard.audit import tables
from steelyard.markdown import heading
from steelyard.text import narrow, unix

_LEAD = re.compile(r"^\s{0,3}(?:[-*•]\s+)?(?:\*\*(?P<bold>[^*]{1,80})\*\*|(?P<plain>[^:|*=]{1,60}))(?P<colon>:?)\s*$")
_LISTED = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)]|```|\||=)")
_LEAD_LEVEL = 9
"""The level of a line that announces what follows: below every heading."""


class Entry(NamedTuple):
    """A line, or a row of a table."""

    titles: tuple[str, ...]
    """The headings above it, outermost first; last the line that announces it, if there is one."""
    text: str
    """The line; of a row, all of it."""
    heads: tuple[str, ...] = ()
    """Names of the columns."""
    cells: tuple[str, ...] = ()
    """Empty outside of tables."""
    table: int = 0
    """Which table it is in: 1, 2, …; 0 outside of tables."""
    announced: bool = False
    """Whether the last of `titles` is a line that announces it, not a heading."""

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings above it."""
        return self.titles[:-1] if self.announced else self.titles


def entries(text: str) -> Iterator[Entry]:
    """Every line that is not blank, and every row of a table below its header."""
    lines = narrow(unix(text)).split("\n")
    reader = _LineReader(lines)
    for index, line in enumerate(lines):
        yield from reader.take(index, line)


class _LineReader:
    """Remembers the titles above a line and the table it is in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._trail: list[tuple[int, str]] = []
        self._heads: tuple[str, ...] = ()
        self._tables = 0
        self._listing = False
        """Whether the announced lines have begun."""

    def take(self, index: int, line: str) -> Iterator[Entry]:
        if tables.is_row(line):
            yield from self._row(index, line)
            return
        self._heads = ()
        if found := heading(line):
            self._open(found[0])
            yield self._entry(found[1])
            self._trail.append(found)
        elif line.strip():
            yield from self._line(index, line)

    def _line(self, index: int, line: str) -> Iterator[Entry]:
        after_blank = index > 0 and not self._lines[index - 1].strip()
        # Text after a blank line no longer belongs to the line that announced a list.
        if self._announced() and self._listing and after_blank and not _LISTED.match(line):
            self._open(_LEAD_LEVEL)
        lead = _LEAD.match(line)
        if lead and (lead["bold"] or lead["colon"]):
            self._open(_LEAD_LEVEL)
            yield self._entry(line)
            self._trail.append((_LEAD_LEVEL, lead["bold"] or lead["plain"]))
            return
        self._listing = True
        yield self._entry(line)

    def _row(self, index: int, line: str) -> Iterator[Entry]:
        self._listing = True
        if tables.is_rule(line):
            return
        following = self._lines[index + 1] if index + 1 < len(self._lines) else ""
        if tables.is_rule(following) or not self._heads:
            self._tables += not self._heads or tables.is_rule(following)
            self._heads = tuple(tables.cells(line))
            return
        yield self._entry(line)._replace(heads=self._heads, cells=tuple(tables.cells(line)), table=self._tables)

    def _open(self, level: int) -> None:
        self._trail = [title for title in self._trail if title[0] < level]
        self._listing = False

    def _entry(self, text: str) -> Entry:
        return Entry(tuple(title for _, title in self._trail), text, announced=self._announced())

    def _announced(self) -> bool:
        return bool(self._trail) and self._trail[-1][0] == _LEAD_LEVEL
