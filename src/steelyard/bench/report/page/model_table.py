"""The table of the models' facts on the first page, sortable like the standings."""

from __future__ import annotations

from steelyard.bench.model import Board, BoardRow
from steelyard.bench.report.models import HEAD, LEGEND, ModelCell, cells, worth_showing
from steelyard.bench.report.page.marks import subject_link
from steelyard.report import numbers
from steelyard.report.html import escape


def model_table(board: Board) -> str:
    """The section; empty where there is nothing to show."""
    if not worth_showing(board):
        return ""
    heads, rows = cells(board)
    names = [("Model", False), ("Overall", True), *heads]
    head = "".join(f'<th scope="col" class="{_side(right)}">{escape(name)}</th>' for name, right in names)
    body = "\n".join(_row(row, facts, [right for _, right in heads]) for row, facts in rows)
    return (
        f'<section aria-labelledby="models"><h2 id="models">{HEAD}</h2>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{HEAD}">'
        f'<table id="model-facts" data-sortable><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'
        f'<p class="soft">{escape(LEGEND)}</p></section>'
    )


def _row(row: BoardRow, facts: list[ModelCell], right: list[bool]) -> str:
    order = -1.0 if row.overall is None else row.overall
    told = "".join(
        f'<td class="{_side(side)}" data-order="{escape(str(fact.order))}">{escape(fact.text)}</td>'
        for fact, side in zip(facts, right, strict=True)
    )
    tone = ' class="baseline"' if row.baseline else ""
    return (
        f'<tr{tone}><th scope="row">{subject_link(row)}</th>'
        f'<td class="right" data-order="{order:.6f}">{numbers.percent(row.overall)}</td>{told}</tr>'
    )


def _side(right: bool) -> str:
    return "right" if right else "left"
