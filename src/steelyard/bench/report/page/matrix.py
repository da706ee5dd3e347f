"""Every pair at a glance: the row against the column, in one sign and one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.bench.model import OVERALL, Board, Pair
from steelyard.bench.report.page.marks import folded
from steelyard.bench.report.page.names import compare_link
from steelyard.bench.report.reading import sentence
from steelyard.report import numbers
from steelyard.report.html import escape, scrolled

LARGEST = 24
"""Subjects a matrix shows; beyond that nobody can read it."""

LEGEND = (
    '<p class="legend"><span class="better">▲</span> row is measurably better <span class="worse">▼</span> worse '
    '<span class="equivalent">≈</span> equivalent within the margin <span class="unresolved">·</span> unresolved. '
    "Point at a cell, or reach it with Tab, for the figures; it leads to the comparison item by item.</p>\n"
)
"""What the signs mean."""

_SIGNS = {"better": "▲", "worse": "▼", "equivalent": "≈", "unresolved": "·"}


def matrices(board: Board) -> str:
    """One matrix for overall and one per category, folded away but for the first."""
    titles = {OVERALL: "Overall", **{key: category.name for key, category in board.suite.categories.items()}}
    shown = folded((title, _matrix(board, key, title)) for key, title in titles.items())
    if not shown:
        return "<p class='soft'>Pairs appear when at least two subjects have run a category in full.</p>"
    return LEGEND + shown


def _matrix(board: Board, key: str, title: str) -> str:
    pairs = {(pair.first, pair.second): pair for pair in board.pairs if pair.category == key}
    present = {name for pair in pairs for name in pair}
    names = [row.model for row in board.rows if row.model in present][:LARGEST]
    if len(names) < 2:
        return ""
    numbered = list(enumerate(names, 1))
    heads = "".join(f'<th scope="col"><abbr title="{escape(name)}">{place}</abbr></th>' for place, name in numbered)
    rows = "\n".join(_row(place, name, names, pairs) for place, name in numbered)
    heads = f'<th scope="col">Row against column</th>{heads}'
    return scrolled(f"pairs, {escape(title)}", "class=matrix", heads, rows)


def _row(place: int, name: str, names: Sequence[str], pairs: dict[tuple[str, str], Pair]) -> str:
    cells = "".join(_cell(name, other, pairs) for other in names)
    return f'<tr><th scope="row"><bdi>{place}. {escape(name)}</bdi></th>{cells}</tr>'


def _cell(one: str, other: str, pairs: dict[tuple[str, str], Pair]) -> str:
    if one == other:
        return '<td class="self"></td>'
    pair, turned = (pairs.get((one, other)), False) if (one, other) in pairs else (pairs.get((other, one)), True)
    if pair is None:
        return '<td class="none">–</td>'
    delta = -pair.delta if turned else pair.delta
    kind = pair.measured if pair.measured != "distinct" else "better" if delta > 0 else "worse"
    hint = escape(f"{numbers.signed(100 * delta, 1)} points; {sentence(pair)}")
    return f'<td class="{kind}" data-hint="{hint}"><a href="{escape(compare_link(one, other))}">{_SIGNS[kind]}</a></td>'
