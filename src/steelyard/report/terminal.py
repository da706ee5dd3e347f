"""A document as text for a terminal: tables that fit, bars that mean something, colour only where it is welcome."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.report.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Details,
    Document,
    Figure,
    Heading,
    Link,
    Paragraph,
    Table,
    Tone,
    cell,
    one_row,
)
from steelyard.text import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_STYLE: dict[Tone, str] = {"plain": "", "good": "green", "warn": "yellow", "bad": "red", "muted": "dim"}
_BAR_WIDTH = 8
_GAP = 3
"""Between two columns stand the padding of both and a divider."""
_SHRUNK, _FOLDED = 8, 10
"""Columns of the terminal that a name, and a text that may fold, keep at least."""
_LEGIBLE = 12
"""What a name should have: columns that may be spared go before it gets less."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def render(document: Document, *, width: int = 80, colour: bool = False) -> str:
    """The document as text at most `width` columns wide."""
    from rich.console import Console

    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    console.print(_text(document.title, "bold"))
    for block in document.blocks:
        console.print()
        _print(console, block)
    lines = (line.rstrip() for line in buffer.getvalue().splitlines())
    return "\n".join(lines) + "\n"


def bar(share: float, width: int = _BAR_WIDTH) -> str:
    """A share in [0, 1] as block characters, `width` cells wide."""
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def _print(console: Console, block: Block) -> None:
    match block:
        case Heading():
            console.print(_text(block.text, "bold"))
        case Paragraph():
            console.print(_text(block.text, _STYLE[block.tone]))
        case Bullets():
            console.print(_bullets(block))
        case Table():
            fitting = fit(block, console.width)
            console.print(_table(fitting, console.width))
            if left_out := [column.name for column in block.columns if column not in fitting.columns]:
                console.print(_text(f"Too narrow to show: {', '.join(left_out)}.", "dim"))
        case Code():
            console.print(_text(block.text, "dim"), soft_wrap=True)
        case Figure():
            console.print(_text(f"[{block.alt}]", "dim"))
        case Link():
            console.print(_text(f"{block.text}: {block.target}", "dim"))
        case Details():
            console.print(_text(block.summary, "bold"))
            for each in block.blocks:
                _print(console, each)


def _bullets(block: Bullets) -> RenderableType:
    """Lines that wrap stand under their own text, not under the mark."""
    from rich.table import Table as RichTable

    drawn = RichTable.grid(padding=(0, 1, 0, 0))
    drawn.add_column()
    drawn.add_column(overflow="fold")
    for item in block.items:
        drawn.add_row(_text("•"), _text(one_row(item)))
    return drawn


def fit(block: Table, width: int) -> Table:
    """The table with as many columns as `width` holds: bars go first, then what matters least; figures never wrap."""
    if _needed(block) > width:
        block = replace(block, rows=tuple(tuple(replace(cell(each), bar=None) for each in row) for row in block.rows))
    while _needed(block) > width and (places := _spare(block)):
        # Of equal importance, what stands further right.
        least = max(places, key=lambda place: (block.columns[place].spare, place))
        block = _without(block, least)
    return block


def _spare(block: Table) -> list[int]:
    """What may be left out: columns said to be spare; where none is, columns of figures."""
    named = [place for place, column in enumerate(block.columns) if column.spare]
    return named or [place for place in range(1, len(block.columns)) if _is_figure(block, place)]


def _without(block: Table, place: int) -> Table:
    rows = tuple((*row[:place], *row[place + 1 :]) for row in block.rows)
    return replace(block, columns=(*block.columns[:place], *block.columns[place + 1 :]), rows=rows)


def _needed(block: Table) -> int:
    """Columns of the terminal below which a figure would break."""
    return sum(_least(block, place) for place in range(len(block.columns))) + _GAP * (len(block.columns) - 1)


def _least(block: Table, place: int) -> int:
    longest = _longest(block, place)
    if block.columns[place].shrink:
        return min(longest, _LEGIBLE)
    return longest if _is_figure(block, place) else min(longest, _FOLDED)


def _is_figure(block: Table, place: int) -> bool:
    column = block.columns[place]
    if column.shrink:
        return False
    return column.align != "left" or any(cell(row[place]).bar is not None for row in block.rows)


def _longest(block: Table, place: int) -> int:
    return max(len(block.columns[place].name), *(len(_cell(cell(row[place])).plain) for row in block.rows), 0)


def _table(block: Table, width: int) -> RenderableType:
    from rich import box
    from rich.table import Table as RichTable

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    if block.caption:
        drawn.title, drawn.title_justify = _text(block.caption, "italic"), "left"
    room = _room(block, width)
    for place, column in enumerate(block.columns):
        overflow, limit = ("ellipsis", room) if column.shrink else ("fold", None)
        whole = column.shrink or _is_figure(block, place)
        drawn.add_column(_text(column.name), justify=column.align, no_wrap=whole, overflow=overflow, max_width=limit)
    for row in block.rows:
        cells = zip(block.columns, map(cell, row), strict=True)
        drawn.add_row(*(_cell(_cut(each, room) if column.shrink else each) for column, each in cells))
    return drawn


def _cut(each: Cell, room: int) -> Cell:
    """A long name loses its middle: makers are in front, versions at the end."""
    name = one_row(each.text)
    if len(name) <= room:
        return each
    tail = (room - 1) // 2
    return replace(each, text=f"{name[: room - 1 - tail]}…{name[len(name) - tail :]}")


def _room(block: Table, width: int) -> int:
    """Columns left for each shrinking column once the others have what they need."""
    # Left to itself, rich would squeeze the other columns to nothing before it cuts these.
    fixed = [place for place, column in enumerate(block.columns) if not column.shrink]
    taken = sum(_longest(block, place) for place in fixed) + _GAP * (len(block.columns) - 1)
    return max((width - taken) // max(len(block.columns) - len(fixed), 1), _SHRUNK)


def _cell(each: Cell) -> Text:
    drawn = _text(one_row(each.text), _STYLE[each.tone])
    if each.bar is not None:
        drawn.append(" " + bar(each.bar))
    return drawn


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    # Control characters of a hostile name must not steer the terminal.
    return Text(visible(text), style=style)
