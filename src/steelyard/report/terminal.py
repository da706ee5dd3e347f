"""A document as text for a terminal: tables fit its width, and colour is optional."""

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
from steelyard.report.names import least, shortened
from steelyard.text import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_STYLE: dict[Tone, str] = {"plain": "", "good": "green", "warn": "yellow", "bad": "red", "muted": "dim"}
_BAR_WIDTH = 8
_GAP, _TIGHT = 3, 2
"""Columns of the terminal between two table columns, and between those of a table that would not fit otherwise."""
_SHRUNK, _FOLDED = 8, 10
"""Least width of a name, and of a text that may fold: between words, as long as they are legible names."""
_NARROW, _LEGIBLE = 12, 20
"""Widths a name should have: below the second texts fold and columns marked spare go, below the first any figure."""
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
            for child in block.blocks:
                _print(console, child)


def _bullets(block: Bullets) -> RenderableType:
    """Wrapped lines are indented below the text, not below the bullet."""
    from rich.table import Table as RichTable

    drawn = RichTable.grid(padding=(0, 1, 0, 0))
    drawn.add_column()
    drawn.add_column(overflow="fold")
    for item in block.items:
        drawn.add_row(_text("•"), _text(one_row(item)))
    return drawn


def fit(block: Table, width: int) -> Table:
    """The table with as many columns as fit `width`: bars go first, then air between columns, then spare columns;
    figures never wrap."""
    if _needed(block, gap=_GAP) > width:
        block = replace(block, rows=tuple(tuple(replace(cell(value), bar=None) for value in row) for row in block.rows))
    while places := _spare(block, width):
        # Of equally spare columns, the rightmost goes first.
        least = max(places, key=lambda place: (block.columns[place].spare, place))
        block = _without(block, least)
    return block


def _spare(block: Table, width: int) -> list[int]:
    """Columns that must go: one of those marked spare while names are hard to read, else a figure that would break."""
    marked = [place for place, column in enumerate(block.columns) if column.spare]
    if marked:
        return marked if _needed(block) > width else []
    # From 1: the first column says what a row is about, so it always stays.
    figures = [place for place in range(1, len(block.columns)) if _is_figure(block, place)]
    return figures if _needed(block, _NARROW) > width else []


def _without(block: Table, place: int) -> Table:
    rows = tuple((*row[:place], *row[place + 1 :]) for row in block.rows)
    return replace(block, columns=(*block.columns[:place], *block.columns[place + 1 :]), rows=rows)


def _needed(block: Table, name: int = _LEGIBLE, gap: int = _TIGHT) -> int:
    """Columns of the terminal below which a figure would break, or a name get less than `name`."""
    return sum(_least(block, place, name) for place in range(len(block.columns))) + gap * (len(block.columns) - 1)


def _gap(block: Table, width: int) -> int:
    return _GAP if _needed(block, gap=_GAP) <= width else _TIGHT


def _least(block: Table, place: int, name: int = _LEGIBLE) -> int:
    longest = _longest(block, place)
    if block.columns[place].shrink:
        return min(
            longest, name, max(least([cell(row[place]).text for row in block.rows]), len(block.columns[place].name))
        )
    return (
        longest if _is_figure(block, place) else min(longest, max(_FOLDED, min(_longest_word(block, place), _LEGIBLE)))
    )


def _is_figure(block: Table, place: int) -> bool:
    column = block.columns[place]
    if column.shrink:
        return False
    return column.align != "left" or any(cell(row[place]).bar is not None for row in block.rows)


def _longest(block: Table, place: int) -> int:
    return max(len(block.columns[place].name), *(len(_cell(cell(row[place])).plain) for row in block.rows), 0)


def _longest_word(block: Table, place: int) -> int:
    texts = [block.columns[place].name, *(_cell(cell(row[place])).plain for row in block.rows)]
    return max((len(word) for text in texts for word in text.split()), default=0)


def _table(block: Table, width: int) -> RenderableType:
    from rich import box
    from rich.table import Table as RichTable

    padding = (0, 1, 0, _gap(block, width) - _TIGHT)
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=padding, show_edge=False)
    if block.caption:
        drawn.title, drawn.title_justify = _text(block.caption, "italic"), "left"
    room = _room(block, width, folded=False)
    folded = room < _wanted(block)
    if folded:
        room = min(_room(block, width, folded=True), max(room, _wanted(block)))
    for place, column in enumerate(block.columns):
        whole = column.shrink or _is_figure(block, place)
        overflow, limit = ("ellipsis", room) if column.shrink else ("fold", None)
        drawn.add_column(
            _text(column.name),
            justify=column.align,
            no_wrap=whole,
            overflow=overflow,
            min_width=None if whole else _least(block, place),
            max_width=limit,
        )
    short = {
        place: shortened([cell(row[place]).text for row in block.rows], room)
        for place, column in enumerate(block.columns)
        if column.shrink
    }
    for row in block.rows:
        cells = ((place, cell(content)) for place, content in enumerate(row))
        drawn.add_row(
            *(
                _cell(replace(content, text=short[place][content.text]) if place in short else content)
                for place, content in cells
            )
        )
    return drawn


def _room(block: Table, width: int, *, folded: bool) -> int:
    """Width left for each shrinking column after the others have what they need."""
    # By default, rich would squeeze the other columns to nothing before it cuts these.
    fixed = [place for place, column in enumerate(block.columns) if not column.shrink]
    wanted = [_least(block, place) if folded else _longest(block, place) for place in fixed]
    taken = sum(wanted) + _gap(block, width) * (len(block.columns) - 1)
    return max((width - taken) // max(len(block.columns) - len(fixed), 1), _SHRUNK)


def _wanted(block: Table) -> int:
    """Width that every shrinking column should have."""
    names = [place for place, column in enumerate(block.columns) if column.shrink]
    return min(_LEGIBLE, max((_longest(block, place) for place in names), default=0))


def _cell(content: Cell) -> Text:
    drawn = _text(one_row(content.text), _STYLE[content.tone])
    if content.bar is not None:
        drawn.append(" " + bar(content.bar))
    return drawn


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    # Control characters in an untrusted name must not control the terminal.
    return Text(visible(text), style=style)
