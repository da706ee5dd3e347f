"""Every item of every subject on one page: a cell is an outcome in a sign and a colour, and leads to the answer.

The colours are a blue and an orange that people with any common colour blindness tell apart; the signs say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from steelyard.bench.category import Category
from steelyard.bench.model import Board, BoardRow, ItemFacts, facts_of
from steelyard.bench.report.page.marks import board_page, crumbs, filter_field, heuristic, shade
from steelyard.bench.report.page.names import item_anchor, items_file, row_anchor, subject_file
from steelyard.outcome import exact
from steelyard.report import numbers
from steelyard.report.html import escape, scrolled
from steelyard.report.names import shortened

LARGEST = 40
"""Subjects that have a column."""

_HEAD = 26
"""Characters of a name in a column head; the whole name shows on pointing at it."""

LEGEND = (
    '<p class="legend"><span class="sign-solved">✓</span> solved <span class="sign-failed">✗</span> not solved '
    '<span class="sign-partly">◐</span> solved in some runs; answers scored by a rubric show their score out of 100, '
    "in a stronger colour the better they are. ? is unscored through our fault, – was not run. Each cell leads to the "
    "answer.</p>\n"
)
"""What the signs mean."""


def grid_page(board: Board) -> str:
    """The page `items.html`."""
    rows = board.rows[:LARGEST]
    asked = [(category, facts) for key, category in board.suite.categories.items() if (facts := facts_of(board, key))]
    sections = "\n".join(_section(category, rows, facts) for category, facts in asked)
    many = f'<p class="soft">The first {LARGEST} of {len(board.rows)} subjects are shown.</p>'
    left_out = many if len(board.rows) > LARGEST else ""
    body = (
        f"<header>{crumbs(board.suite.title)}<h1>Every item, every model</h1>{LEGEND}{heuristic(board)}{left_out}"
        f"{filter_field('data-filter-tables', 'grids', 'id, word, domain, difficulty')}"
        '<p class="controls"><label><input type="checkbox" data-only-split="grids"> Only items that split the models'
        f'</label></p></header>\n<main id="main"><div id="grids">\n{sections}\n</div></main>'
    )
    return board_page(f"Items · {board.suite.title}", body)


def _section(category: Category, rows: Sequence[BoardRow], facts: dict[str, ItemFacts]) -> str:
    names = shortened([row.model for row in rows], _HEAD)
    heads = "".join(
        f'<th scope="col" class="upright"><a href="models/{subject_file(row)}" title="{escape(row.model)}">'
        f"{escape(names[row.model])}</a></th>"
        for row in rows
    )
    lines = "\n".join(_line(category, item, facts[item], rows) for item in facts)
    name, heads = escape(category.name), f'<th scope="col">Item</th><th scope="col" class="right">Mean</th>{heads}'
    shown = scrolled(name, "class=grid data-sortable", heads, lines)
    return f'<section aria-labelledby="{category.key}"><h2 id="{category.key}">{name}</h2>{shown}</section>'


def _line(category: Category, item: str, facts: ItemFacts, rows: Sequence[BoardRow]) -> str:
    ranked = [row for row in rows if not row.baseline]
    # Baselines count towards the mean only if there is nobody else.
    values = [value for row in ranked or rows if (value := _value(row, category.key, item)) is not None]
    split = " data-split" if len({exact(value) for value in values}) > 1 else ""
    about = " · ".join(value for values in facts.groups.values() for value in values)
    cells = "".join(_cell(row, category, item) for row in rows)
    mean = fmean(values) if values else None
    return (
        f'<tr id="{row_anchor(category.key, item)}"{split}><th scope="row"><span class="soft">{escape(item)}</span> '
        f'<bdi>{escape(facts.title)}</bdi> <span class="about">{escape(about)}</span></th>'
        f'<td class="right" data-order="{-1 if mean is None else round(mean, 6)}">{numbers.percent(mean, 0)}</td>'
        f"{cells}</tr>"
    )


def _value(row: BoardRow, key: str, item: str) -> float | None:
    result = row.results.get(key)
    return result.items.get(item) if result else None


def _cell(row: BoardRow, category: Category, item: str) -> str:
    result, value = row.results.get(category.key), _value(row, category.key, item)
    if result is None or (value is None and item not in result.facts):
        return '<td class="none" data-order="-2">–</td>'
    target = f"models/{items_file(row, category.key)}#{item_anchor(item, 1)}"
    if value is None:
        return f'<td class="none" data-order="-1"><a href="{target}">?</a></td>'
    if category.scoring == "rubric":
        return f'<td class="{shade(value)}" data-order="{value:.4f}"><a href="{target}">{value * 100:.0f}</a></td>'
    kind, sign = ("solved", "✓") if exact(value) >= 1 else ("failed", "✗") if exact(value) <= 0 else ("partly", "◐")
    return f'<td class="cell-{kind}" data-order="{value:.4f}"><a href="{target}">{sign}</a></td>'
