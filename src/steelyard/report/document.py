"""One document, several renderers: what a report is made of before anybody decides how it looks.

Blocks hold plain text; each renderer escapes for its own medium, because names and answers are hostile text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["plain", "good", "warn", "bad", "muted"]
"""How something reads at a glance; every renderer maps it to its own means, never to colour alone."""

_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell that wants more than plain text."""

    text: str
    tone: Tone = "plain"
    bar: float | None = None
    """Share in [0, 1] to draw as a bar behind or beside the text, where the medium can."""
    link: str | None = None
    """A relative link, for HTML only."""
    hint: str | None = None
    """More, shown on hover or focus in HTML."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    align: Literal["left", "right", "center"] = "left"
    shrink: bool = False
    """May be cut with an ellipsis when the terminal is narrow."""
    spare: int = 0
    """May be left out when even that is not enough, the highest number first; 0 stays."""


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | str, ...], ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A static picture. The SVG is ours (made by `report.charts`), never a subject's."""

    svg: str
    alt: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A way to another page of ours; `target` is relative to this one."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks behind a summary line that unfolds."""

    summary: str
    blocks: tuple[Block, ...]


Block: TypeAlias = Heading | Paragraph | Bullets | Table | Code | Figure | Link | Details


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    blocks: tuple[Block, ...]


def one_row(text: str) -> str:
    """Foreign text for a table cell: a name with line breaks must not look like several rows."""
    return " ".join(text.split()) if any(mark in text for mark in _BREAKS) else text


def cell(value: Cell | str) -> Cell:
    """Any cell as a `Cell`."""
    return value if isinstance(value, Cell) else Cell(value)


def table(columns: Sequence[str | Column], rows: Sequence[Sequence[Cell | str]], caption: str = "") -> Table:
    """A table from plain sequences; a column given as text is left-aligned."""
    heads = tuple(each if isinstance(each, Column) else Column(each) for each in columns)
    return Table(heads, tuple(tuple(row) for row in rows), caption)
