"""The models of a board beside their scores: maker, release, licence, size, price, cost, and who is on the front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from steelyard.bench.analysis.front import FACTS, front, ordered
from steelyard.bench.model import Board, BoardRow
from steelyard.report import numbers
from steelyard.report.document import Block, Cell, Column, Paragraph, table

HEAD = "Models"
LEGEND = "USD: of the runs that count, at the stated price or as they recorded it. Front: nobody is better for less."


@dataclass(frozen=True, slots=True)
class _Fact:
    """One column."""

    head: str
    value: Callable[[BoardRow], Any]
    """None where it is unknown."""
    text: Callable[[Any], str] = str
    right: bool = False

    def cell(self, row: BoardRow) -> Cell:
        value = self.value(row)
        if value is None:
            return Cell(numbers.UNKNOWN, order="")
        # The page's script would read a date as the number of its year.
        return Cell(self.text(value), order=value.toordinal() if isinstance(value, date) else value)


def models(board: Board, page: Callable[[BoardRow], str] | None = None) -> list[Block]:
    """The facts of every row, without columns that nobody fills; nothing where neither facts nor two costs are known.

    In HTML, where `page` names the page of a row, the overall score stands beside them, to sort one by the other.
    """
    rows, on_front = ordered(board), front(board.rows)
    if not any(row.about for row in rows) and len({row.cost_usd for row in rows if row.cost_usd}) < 2:
        return []
    on = _Fact("Front", lambda row: on_front.get(row.model) or None, lambda found: "front")
    known = (*[_OVERALL] * (page is not None), _COST, on, *_STATED)
    facts = [fact for fact in known if any(fact.value(row) is not None for row in rows)]
    columns = [Column("Model", shrink=True)]
    columns += [Column(fact.head, "right" if fact.right else "left", spare=place) for place, fact in enumerate(facts)]
    body = [[_name(row, page(row) if page else None), *(fact.cell(row) for fact in facts)] for row in rows]
    return [table(columns, body), Paragraph(LEGEND, "muted")]


def _name(row: BoardRow, page: str | None) -> Cell:
    return Cell(row.model, "muted" if row.baseline else "plain", link=page)


def as_json(row: BoardRow, on_front: dict[str, bool]) -> dict[str, Any]:
    """The fields of a row in the leaderboard."""
    about = {} if row.about is None else {"about": row.about.model_dump(mode="json", exclude_none=True)}
    cost = None if row.cost_usd is None else round(row.cost_usd, 9)
    return {**about, "cost_usd": cost, "pareto": on_front.get(row.model)}


def _usd_per_million(price: float) -> str:
    return f"${price:g}"


_OVERALL = _Fact("Overall", lambda row: row.overall, numbers.percent, right=True)
_COST = _Fact("USD", FACTS["cost"], numbers.usd, right=True)
_STATED = (
    _Fact("Maker", FACTS["maker"]),
    _Fact("Release", FACTS["release"]),
    _Fact("Licence", FACTS["licence"]),
    _Fact("Size", FACTS["size"], lambda size: f"{size:g}B", right=True),
    _Fact("$/M in", lambda row: row.about and row.about.price and row.about.price.input, _usd_per_million, right=True),
    _Fact("$/M out", FACTS["price"], _usd_per_million, right=True),
)
