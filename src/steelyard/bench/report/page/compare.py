"""Two subjects side by side, chosen on the page: what flipped between them, with links to both answers.

The page holds the scores as a block of JSON that no browser executes; `compare.js` writes them with `textContent`, so
foreign names stay text. An address like `compare.html#a=…&b=…` leads to one pair.
"""

from __future__ import annotations

import json
from typing import Any

from steelyard.bench.model import Board, BoardRow, facts_of
from steelyard.bench.report.page.marks import board_page, crumbs, heuristic
from steelyard.bench.report.page.names import item_anchor, items_file, subject_id
from steelyard.bench.report.reading import sentence
from steelyard.bench.score import DEFINITE_ABOVE
from steelyard.report import html
from steelyard.text import visible

LARGEST = 40
"""Subjects to choose from."""


def compare_page(board: Board) -> str:
    """The page `compare.html`."""
    body = (
        f"<header>{crumbs(board.suite.title)}<h1>Two models, item by item</h1>"
        '<form id="choice" class="choice"><label>First <select id="first"></select></label>'
        '<button type="button" id="swap" title="Swap the two">⇄<span class="hidden"> swap</span></button>'
        '<label>Second <select id="second"></select></label></form>'
        "<noscript><p>This view needs JavaScript. <code>steelyard bench compare A B LOGS</code> shows the same in a "
        f"terminal.</p></noscript>{heuristic(board)}</header>\n"
        '<main id="main"><div id="comparison" aria-live="polite"></div></main>\n'
        f'<script type="application/json" id="data">{_embedded(data(board))}</script>'
    )
    return board_page(f"Compare · {board.suite.title}", body, html.asset("compare.js"))


def data(board: Board) -> dict[str, Any]:
    """What the script needs: subjects, items, scores and the readings of all pairs."""
    rows = board.rows[:LARGEST]
    place = {row.model: number for number, row in enumerate(rows)}
    items = {key: list(facts_of(board, key).items()) for key in board.suite.categories}
    return {
        "categories": [
            {
                "key": key,
                "name": category.name,
                "binary": category.scoring == "binary",
                "items": [{"id": visible(item), "title": visible(facts.title), "anchor": item_anchor(item, 1)}
                          for item, facts in items[key]],
            }
            for key, category in board.suite.categories.items()
        ],
        "flips_above": DEFINITE_ABOVE,
        "models": [_model(row, items) for row in rows],
        "pairs": [
            [place[pair.first], place[pair.second], pair.category, round(pair.delta, 6), sentence(pair)]
            for pair in board.pairs
            if pair.first in place and pair.second in place
        ],
    }  # fmt: skip


def _model(row: BoardRow, items: dict[str, list[Any]]) -> dict[str, Any]:
    return {
        "id": subject_id(row.model),
        "name": visible(row.model),
        "rank": row.rank,
        "overall": row.overall,
        "incomparable": [text.partition(":")[0] for text in row.incomparable],
        "pages": {key: f"models/{items_file(row, key)}" for key in row.results},
        "scores": {
            key: [None if (value := result.items.get(item)) is None else round(value, 6) for item, _ in items[key]]
            for key, result in row.results.items()
        },
    }


def _embedded(value: Any) -> str:
    """JSON inside a script element: nothing in it can end the element or begin a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
