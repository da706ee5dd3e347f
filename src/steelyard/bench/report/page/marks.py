"""Small pieces of markup that several pages of a board share."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.bench.model import Board, BoardRow, CategoryResult
from steelyard.bench.report.document import NOT_RUN, WITHHELD, heuristic_note
from steelyard.bench.report.page.names import subject_file
from steelyard.report import html, numbers
from steelyard.report.document import Whisker
from steelyard.report.html import escape
from steelyard.stats.interval import Interval


def board_page(title: str, body: str, script: str = "", description: str = "") -> str:
    """A page in the style of the board; `script` runs before the one that sorts and filters."""
    script += html.asset("tables.js")
    return html.page(title, body, script=script, style=html.asset("board.css"), description=description)


def whisker(value: float | None, interval: Interval | None, *, muted: bool = False) -> str:
    """A score in [0, 1] as a mark on a rail, its interval as a band; the number is shown next to it."""
    if value is None:
        return ""
    low, high = (interval.low, interval.high) if interval else (value, value)
    return html.whisker(Whisker(low, value, high), muted=muted)


def shade(value: float) -> str:
    """The class that shades a cell by a share in [0, 1], from `heat-0` to `heat-10`."""
    return f"heat-{round(10 * max(0.0, min(value, 1.0)))}"


def crumbs(title: str) -> str:
    """The way back to the first page, for pages beside it."""
    return f'<p class="kicker"><a href="index.html">{escape(title)}</a></p>'


def subject_link(row: BoardRow) -> str:
    """The name of a subject as a link from the first page; long names break after the path, which is set smaller."""
    path, slash, name = row.model.rpartition("/")
    before = f'<span class="path">{escape(path + slash)}</span><wbr>' if path else ""
    return f'<bdi><a href="models/{subject_file(row)}">{before}{escape(name)}</a></bdi>'


def score_cell(result: CategoryResult | None) -> str:
    """A table cell for a category."""
    if result is None:
        return f'<td class="right soft" data-order="-2">{NOT_RUN}</td>'
    if result.score is None:
        return f'<td class="right bad" data-order="-1">✗ {WITHHELD}</td>'
    star = "" if result.complete else f'<span class="soft" title="partial"> {result.scored}/{result.expected}</span>'
    return f'<td class="right" data-order="{result.score:.6f}">{numbers.percent(result.score)}{star}</td>'


def badges(row: BoardRow) -> str:
    """What a reader must know of a row before reading its number."""
    badges: list[str] = []
    if row.baseline:
        badges.append("baseline")
    if row.stand_in:
        badges.append("embedded, not a language model")
    if row.overall is None:
        badges.append(WITHHELD)
    elif not row.complete:
        badges.append("partial")
    if row.incomparable:
        badges.append("not comparable")
    return "".join(f' <span class="badge">{escape(badge)}</span>' for badge in badges)


def card(label: str, value: str, note: str = "") -> str:
    """A figure with its name."""
    return (
        f'<div class="card"><div class="label">{escape(label)}</div><div class="value">{escape(value)}</div>'
        f'<div class="note">{escape(note)}</div></div>'
    )


def folded(tables: Iterable[tuple[str, str]]) -> str:
    """Tables with their titles, folded away but for the first; those that are empty are left out."""
    shown = (f"<summary>{escape(title)}</summary>\n{table}</details>" for title, table in tables if table)
    return "\n".join(f"<details{'' if place else ' open'}>{text}" for place, text in enumerate(shown))


def filter_field(kind: str, target: str, hint: str) -> str:
    """A field that hides elements without its words; `kind` is the attribute that names what it filters."""
    return (
        f'<p class="controls"><label>Filter <input type="search" {kind}="{target}" data-count="shown-count" '
        f'placeholder="{escape(hint)}" autocomplete="off"></label> '
        '<span id="shown-count" class="soft" role="status"></span></p>'
    )


def heuristic(board: Board) -> str:
    """A line that names the categories with heuristic scores; empty if there are none."""
    return "".join(f'<p class="soft">{escape(sentence)}</p>' for sentence in heuristic_note(board))
