"""The Pareto front of score against cost, and the order of a board's rows by any of its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from steelyard.bench.model import OVERALL, Board, BoardRow, Spec
from steelyard.bench.suite import Suite
from steelyard.errors import InputError
from steelyard.outcome import exact

_DOWN = frozenset({OVERALL, "strict"})
"""Best first, like the categories; everything else begins with the lowest."""


def front(rows: Sequence[BoardRow]) -> dict[str, bool]:
    """Ranked model with a known cost → whether no other one is better for as little, or as good for less."""
    priced = [
        (row.model, exact(row.overall), exact(row.cost_usd))
        for row in rows
        if row.rank is not None and row.overall is not None and row.cost_usd is not None
    ]
    # A model that is equal in both does not beat another one; both are on the front.
    return {
        model: not any(
            other >= score and spent <= cost and (other, spent) != (score, cost) for _, other, spent in priced
        )
        for model, score, cost in priced
    }


def sortable(suite: Suite) -> tuple[str, ...]:
    """What rows can be sorted by."""
    return (OVERALL, *["strict"] * suite.strict, *suite.categories, *FACTS)


def require_sortable(spec: Spec) -> None:
    """Raise unless the board of `spec` has what it is to be sorted by."""
    if spec.sort not in sortable(spec.suite):
        raise InputError(f"a board has no {spec.sort!r} to sort by", cure=f"one of {', '.join(sortable(spec.suite))}")


def ordered(board: Board) -> tuple[BoardRow, ...]:
    """The rows by `spec.sort`; those without a value come last, and equal ones stay best first."""
    key = board.spec.sort
    if key == OVERALL:
        return board.rows
    down = key in _DOWN or key in board.suite.categories
    known = [row for row in board.rows if _value(row, key) is not None]
    # The sort is stable even in reverse, so equal rows stay in the order of the board.
    known.sort(key=lambda row: _value(row, key), reverse=down)
    return (*known, *(row for row in board.rows if _value(row, key) is None))


def _value(row: BoardRow, key: str) -> Any:
    if key in FACTS:
        value = FACTS[key](row)
        return value.casefold() if isinstance(value, str) else value
    if key == "strict":
        return row.strict
    return row.results[key].score if key in row.results else None


FACTS: dict[str, Callable[[BoardRow], Any]] = {
    "cost": lambda row: row.cost_usd,
    "maker": lambda row: row.about and row.about.maker,
    "release": lambda row: row.about and row.about.release,
    "licence": lambda row: row.about and row.about.licence,
    "size": lambda row: row.about and row.about.size,
    "price": lambda row: row.about and row.about.price and row.about.price.output,
}
"""Name of a column that is no score → its value, None where it is unknown."""
