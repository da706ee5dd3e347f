"""Where each subject is strong: scores by domain, difficulty and subtype, as tables with shaded cells."""

from __future__ import annotations

from steelyard.bench.model import Board, BoardRow, GroupScore
from steelyard.bench.report.document import range_text
from steelyard.bench.report.page.marks import folded, shade, subject_link
from steelyard.report import numbers
from steelyard.report.html import escape, scrolled

SMALLEST = 3
"""Items of a group that a table shows; smaller ones are in `leaderboard.json`."""

WIDEST = 14
"""Groups that a table shows, the largest first."""

LONGEST = 40
"""Subjects that a table shows."""


def breakdowns(board: Board) -> str:
    """One table per category and dimension, folded away but for the first."""
    shown = folded(
        (title := f"{category.name} by {dimension}", _table(board, key, dimension, title))
        for key, category in board.suite.categories.items()
        for dimension in ("domain", "difficulty", "subtype")
    )
    if not shown:
        return '<p class="soft">The items of these logs name no domain, difficulty or subtype.</p>'
    note = (
        '<p class="soft">Means over the items of a group. Few items per group: the interval shows when you point at a '
        f"figure or reach it with Tab. Groups with fewer than {SMALLEST} items are in leaderboard.json.</p>\n"
    )
    return note + shown


def _table(board: Board, key: str, dimension: str, title: str) -> str:
    rows = [row for row in board.rows if key in row.results and dimension in row.results[key].breakdowns][:LONGEST]
    groups = _groups(rows, key, dimension)
    if len(groups) < 2:
        return ""
    heads = "".join(
        f'<th scope="col" class="right">{escape(group)} <span class="soft">{size}</span></th>'
        for group, size in groups.items()
    )
    lines = "\n".join(_row(row, key, dimension, list(groups)) for row in rows)
    heads = f'<th scope="col">Model</th>{heads}'
    return scrolled(escape(title), "class=heat data-sortable", heads, lines)


def _groups(rows: list[BoardRow], key: str, dimension: str) -> dict[str, int]:
    """Group → items of the subject that was asked most of it; the largest groups first."""
    sizes: dict[str, int] = {}
    for row in rows:
        for group, part in row.results[key].breakdowns[dimension].items():
            sizes[group] = max(sizes.get(group, 0), part.items)
    kept = sorted((group for group in sizes if sizes[group] >= SMALLEST), key=lambda group: (-sizes[group], group))
    return {group: sizes[group] for group in kept[:WIDEST]}


def _row(row: BoardRow, key: str, dimension: str, groups: list[str]) -> str:
    parts = row.results[key].breakdowns[dimension]
    cells = "".join(_cell(parts.get(group)) for group in groups)
    return f'<tr><th scope="row">{subject_link(row)}</th>{cells}</tr>'


def _cell(part: GroupScore | None) -> str:
    if part is None:
        return f'<td class="right soft">{numbers.UNKNOWN}</td>'
    ends = range_text(part.interval, "")
    hint = f"{numbers.things(part.items, 'item')}" + (f", 95%: {ends}" if ends else "")
    return (
        f'<td class="right {shade(part.score)}" data-order="{part.score:.6f}" data-hint="{hint}" tabindex="0">'
        f"{numbers.percent(part.score, 0)}</td>"
    )
