"""Tables of a scoring file: marks per problem and run; and the counts of bonus and penalty."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steelyard.audit import tables
from steelyard.audit.key.check import problem_name
from steelyard.audit.key.labels import mark_of
from steelyard.audit.model import Mark
from steelyard.text import narrow, unix

_HEADING = re.compile(r"^\s{0,3}#{1,6}\s*(?P<title>.*)$|^\s{0,3}\*\*(?P<bold>[^*]{1,80})\*\*:?\s*$")
_RUN = re.compile(r"\brun\s*[-_#]?\s*(\d{1,2})\b|実行\s*(\d{1,2})", re.IGNORECASE)
_RUN_COLUMN = re.compile(r"^\W*run\s*[-_#]?\s*(\d{1,2})\b", re.IGNORECASE)
_ID = re.compile(r"^\W*(?P<id>[A-Za-z][A-Za-z0-9]{0,11}?\s?[-_]?\d{1,4})\b")
_COUNTS = re.compile(
    r"\brun\s*(\d{1,2})\b[^\n]{0,60}?\(\s*\+?(\d{1,3})\s*B\s*[,;/]?\s*[-−]?(\d{1,3})\s*P\s*\)", re.IGNORECASE
)
_BONUS = re.compile(r"bonus|ボーナス|加点", re.IGNORECASE)


class Extras(NamedTuple):
    """How many bonuses and penalties a run has."""

    bonus: int
    penalty: int


class _Row(NamedTuple):
    trail: tuple[str, ...]
    """Titles above the table."""
    heads: tuple[str, ...]
    cells: tuple[str, ...]


def mark_rows(text: str) -> dict[str, tuple[Mark, ...]]:
    """Problem → mark per run."""
    marks: dict[str, dict[int, Mark]] = {}
    for row in _rows(text):
        name = _problem(row.cells)
        if name is None or any(_BONUS.search(title) for title in row.trail[-1:]):
            continue
        for run, mark in _marks(row):
            marks.setdefault(name, {}).setdefault(run, mark)
    return {name: tuple(runs[run] for run in sorted(runs)) for name, runs in marks.items()}


def extra_counts(text: str) -> dict[int, Extras]:
    """Bonus and penalty of each run, from its summary line: `Run 1: 8.50 (3B, 1P)`."""
    return {int(run): Extras(int(bonus), int(penalty)) for run, bonus, penalty in _COUNTS.findall(narrow(text))}


def _marks(row: _Row) -> Iterator[tuple[int, Mark]]:
    columns = [(int(match[1]), at) for at, head in enumerate(row.heads) if (match := _RUN_COLUMN.match(head))]
    for run, at in columns:
        mark = _sign(row.cells[at]) if at < len(row.cells) else None
        if mark:
            yield run, mark
    if not columns:
        run = next((number for title in reversed(row.trail) if (number := _run_number(title))), None)
        signs: list[Mark] = [sign for cell in row.cells[1:] if (sign := _sign(cell))]
        if run and signs:
            yield run, signs[0]


def _sign(cell: str) -> Mark | None:
    """The mark that a cell begins with: `○`, `△ (0.5)`."""
    first = cell.strip(" *_`").split("(")[0].split()
    return mark_of(first[0]) if first else None


def _run_number(title: str) -> int | None:
    match = _RUN.search(title)
    return int(match[1] or match[2]) if match else None


def _problem(cells: Sequence[str]) -> str | None:
    match = _ID.match(narrow(cells[0])) if cells else None
    name = problem_name(match["id"]) if match else None
    return None if name is None or name.casefold().startswith("b") else name


def _rows(text: str) -> Iterator[_Row]:
    """Every row of every table below its header, with the titles above it."""
    trail: list[tuple[int, str]] = []
    heads: tuple[str, ...] = ()
    lines = unix(text).split("\n")
    for index, line in enumerate(lines):
        heading = _HEADING.match(line)
        if heading:
            level = len(line) - len(line.lstrip(" #")) if heading["title"] is not None else 9
            trail = [head for head in trail if head[0] < level]
            trail.append((level, heading["title"] or heading["bold"] or ""))
            heads = ()
        elif not tables.is_row(line):
            heads = ()
        elif tables.is_rule(line):
            continue
        elif index + 1 < len(lines) and tables.is_rule(lines[index + 1]):
            heads = tuple(tables.cells(line))
        else:
            yield _Row(tuple(title for _, title in trail), heads, tuple(tables.cells(line)))
