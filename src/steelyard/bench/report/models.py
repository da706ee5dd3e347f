"""The models of a board beside their scores: maker, release, licence, size, price, cost, and who is on the front."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from steelyard.bench.analysis.front import front, ordered
from steelyard.bench.model import Board, BoardRow
from steelyard.bench.model_facts import ModelFacts, Price
from steelyard.report import numbers
from steelyard.report.document import Block, Column, Heading, Paragraph, table

HEAD = "Models"
FRONT = "front"
LEGEND = "USD: of the runs that count, at the stated price or as they recorded it. Front: nobody is better for less."


class ModelCell(NamedTuple):
    """One cell: what a reader sees, and what a table sorts by."""

    text: str
    order: float | str


class _Column(NamedTuple):
    head: str
    cell: Callable[[BoardRow, dict[str, bool]], ModelCell]
    right: bool = False


def cells(board: Board) -> tuple[list[tuple[str, bool]], list[tuple[BoardRow, list[ModelCell]]]]:
    """Heads (with whether they stand right) and the facts of every row; columns that nobody fills are left out."""
    on_front = front(board.rows)
    rows = [(row, [column.cell(row, on_front) for column in _COLUMNS]) for row in ordered(board)]
    filled = [place for place in range(len(_COLUMNS)) if any(facts[place] != _NONE for _, facts in rows)]
    heads = [(_COLUMNS[place].head, _COLUMNS[place].right) for place in filled]
    return heads, [(row, [facts[place] for place in filled]) for row, facts in rows]


def models(board: Board) -> list[Block]:
    """The table for terminal and Markdown; nothing where neither facts nor two costs are known."""
    if not worth_showing(board):
        return []
    heads, rows = cells(board)
    columns = [Column("Model", shrink=True)]
    columns += [Column(head, "right" if right else "left", spare=place) for place, (head, right) in enumerate(heads)]
    body = [[row.model, *(fact.text for fact in facts)] for row, facts in rows]
    return [Heading(HEAD), table(columns, body), Paragraph(LEGEND, "muted")]


def worth_showing(board: Board) -> bool:
    """Whether there is something to show beside the scores: facts, or costs that differ."""
    return any(row.about for row in board.rows) or len({row.cost_usd for row in board.rows if row.cost_usd}) > 1


def as_json(row: BoardRow, on_front: dict[str, bool]) -> dict[str, Any]:
    """The fields of a row in the leaderboard."""
    about = {} if row.about is None else {"about": row.about.model_dump(mode="json", exclude_none=True)}
    cost = None if row.cost_usd is None else round(row.cost_usd, 9)
    return {**about, "cost_usd": cost, "pareto": on_front.get(row.model)}


_NONE = ModelCell(numbers.UNKNOWN, "")


def _stated(read: Callable[[ModelFacts], Any], text: Callable[[Any], str] = str) -> Callable[..., ModelCell]:
    def cell(row: BoardRow, on_front: dict[str, bool]) -> ModelCell:
        value = read(row.about) if row.about else None
        return _NONE if value is None else ModelCell(text(value), value if isinstance(value, float) else str(value))

    return cell


def _priced(read: Callable[[Price], float]) -> Callable[..., ModelCell]:
    return _stated(lambda facts: read(facts.price) if facts.price else None, lambda usd: f"${usd:g}")


def _cost(row: BoardRow, on_front: dict[str, bool]) -> ModelCell:
    return _NONE if row.cost_usd is None else ModelCell(numbers.usd(row.cost_usd), row.cost_usd)


def _front(row: BoardRow, on_front: dict[str, bool]) -> ModelCell:
    return ModelCell(FRONT, 0.0) if on_front.get(row.model) else _NONE


_COLUMNS = (
    _Column("USD", _cost, right=True),
    _Column("Front", _front),
    _Column("Maker", _stated(lambda facts: facts.maker)),
    _Column("Release", _stated(lambda facts: facts.release)),
    _Column("Licence", _stated(lambda facts: facts.licence)),
    _Column("Size", _stated(lambda facts: facts.size, lambda size: f"{size:g}B"), right=True),
    _Column("$/M in", _priced(lambda price: price.input), right=True),
    _Column("$/M out", _priced(lambda price: price.output), right=True),
)
