"""The content of a report, independent of how it is rendered.

Blocks hold plain text; each renderer escapes it for its own format, because names and answers are untrusted text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Tone: TypeAlias = Literal["plain", "good", "warn", "bad", "muted"]
"""How something reads at a glance; renderers never express it by colour alone."""

TONE_MARKS: dict[Tone, str] = {"plain": "", "good": "✓ ", "warn": "! ", "bad": "✗ ", "muted": ""}
"""Prefix that shows the tone of a text in HTML and Markdown."""

# Everything that `str.splitlines` breaks at.
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


class Whisker(NamedTuple):
    """A value with its interval, as places in [0, 1] on a rail."""

    low: float
    value: float
    high: float
    zero: float | None = None
    """Where 0 is on the rail, if that is worth a mark."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell with more than plain text."""

    text: str
    tone: Tone = "plain"
    bar: float | None = None
    """Share in [0, 1], drawn as a bar beside the text if the format can."""
    whisker: Whisker | None = None
    """Drawn beside the text if the format can."""
    link: str | None = None
    """A relative link, for HTML only."""
    hint: str | None = None
    """More detail, shown on hover or focus in HTML."""
    order: float | str | None = None
    """What HTML sorts the column by, where it is not the text; a bar is sorted by its share."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    align: Literal["left", "right", "center"] = "left"
    shrink: bool = False
    """May be cut with an ellipsis when the terminal is narrow."""
    spare: int = 0
    """May be left out if the table is still too wide, the highest number first; 0 means never."""


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
    """A static picture. The SVG comes from `report.charts`, never from a subject."""

    svg: str
    alt: str
    caption: str = ""
    narrow: str = ""
    """The same picture for a narrow screen; empty where the first one serves."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another page of the same report; `target` is relative to this one."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks below a summary line, folded until it is opened."""

    summary: str
    blocks: tuple[Block, ...]


Block: TypeAlias = Heading | Paragraph | Bullets | Table | Code | Figure | Link | Details


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    blocks: tuple[Block, ...]


def one_row(text: str) -> str:
    """Untrusted text on one line, so that a name with line breaks does not look like several table rows."""
    return " ".join(text.split()) if any(line_break in text for line_break in _BREAKS) else text


def cell(value: Cell | str) -> Cell:
    """Any cell as a `Cell`."""
    return value if isinstance(value, Cell) else Cell(value)


def table(columns: Sequence[str | Column], rows: Sequence[Sequence[Cell | str]], caption: str = "") -> Table:
    """A table from plain sequences; a column given as text is left-aligned."""
    heads = tuple(column if isinstance(column, Column) else Column(column) for column in columns)
    return Table(heads, tuple(tuple(row) for row in rows), caption)
