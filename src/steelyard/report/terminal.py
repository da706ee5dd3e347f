"""A document as text for a terminal: tables that fit, bars that mean something, colour only where it is welcome."""

from __future__ import annotations

import io
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
)

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_STYLE: dict[Tone, str] = {"plain": "", "good": "green", "warn": "yellow", "bad": "red", "muted": "dim"}
_BAR_WIDTH = 8
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
            console.print(_table(block, console.width))
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
        drawn.add_row(_text("•"), _text(item))
    return drawn


def _table(block: Table, width: int) -> RenderableType:
    from rich import box
    from rich.table import Table as RichTable

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    if block.caption:
        drawn.title, drawn.title_justify = _text(block.caption, "italic"), "left"
    room = _room(block, width)
    for column in block.columns:
        overflow, limit = ("ellipsis", room) if column.shrink else ("fold", None)
        name = _text(column.name)
        drawn.add_column(name, justify=column.align, no_wrap=column.shrink, overflow=overflow, max_width=limit)
    for row in block.rows:
        drawn.add_row(*(_cell(cell(each)) for each in row))
    return drawn


def _room(block: Table, width: int) -> int:
    """Columns left for each shrinking column once the others have what they need."""
    # Left to itself, rich would squeeze the other columns to nothing before it cuts these.
    rows = [
        [column.name for column in block.columns],
        *([_cell(cell(each)).plain for each in row] for row in block.rows),
    ]
    # Between two columns stand the padding of both and a divider.
    fixed = [place for place, column in enumerate(block.columns) if not column.shrink]
    taken = sum(max(len(row[place]) for row in rows) for place in fixed) + 3 * (len(block.columns) - 1)
    return max((width - taken) // max(len(block.columns) - len(fixed), 1), 8)


def _cell(each: Cell) -> Text:
    drawn = _text(each.text, _STYLE[each.tone])
    if each.bar is not None:
        drawn.append(" " + bar(each.bar))
    return drawn


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    # Control characters of a hostile name must not steer the terminal.
    return Text("".join(mark if mark.isprintable() or mark == "\n" else "\ufffd" for mark in text), style=style)
