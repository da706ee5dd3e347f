"""Item analysis: how often each item is solved, what it separates, and which items need a closer look.

    solved          mean score over subjects (baselines have no say)
    discrimination  correlation over subjects of the item's score with the mean of the category's other items

`saturated`: every subject solves it, or none does: it separates nobody. `suspect`: the ceiling fails it, or the better
subjects fail it more often, for certain: the 95% interval of the discrimination (Fisher's z, tanh(atanh r ±
1.96 / √(n − 3))) lies below 0. Fewer than five subjects: no discrimination. In a simulation of sound items (50 items,
5 to 20 subjects) this flags at most 0.4% of them; a fixed bound of −0.1 flags 6 to 14%.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

import numpy as np

from steelyard.bench.category import Category
from steelyard.bench.model import CEILING, Board, facts_of
from steelyard.outcome import exact
from steelyard.report import numbers

FEW = 3
"""Subjects below which an item that all of them solve says nothing."""
ENOUGH = 5
"""Subjects below which a correlation says nothing."""
_Z = NormalDist().inv_cdf(0.975)
_ALMOST_ONE = 1 - 1e-9
"""Correlations are kept inside ±1, where Fisher's z is finite."""

Verdict: TypeAlias = Literal["suspect", "saturated", "fine"]


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item over all subjects that tried it."""

    category: str
    id: str
    subjects: int
    solved: float | None
    """Mean score; None when only baselines tried it."""
    discrimination: float | None
    ceiling: float | None
    """What the ceiling scored, where it ran."""
    verdict: Verdict
    reason: str
    discrimination_low: float | None = None
    discrimination_high: float | None = None
    """Ends of the 95% interval of the discrimination."""
    title: str = ""
    """What it is about, in a few words."""


def items(board: Board) -> tuple[ItemRow, ...]:
    """Every item that anybody was scored on; suspects first, then saturated ones, then by id."""
    rows = [row for key, category in board.suite.categories.items() for row in _category(board, key, category)]
    order: dict[Verdict, int] = {"suspect": 0, "saturated": 1, "fine": 2}
    keys = list(board.suite.categories)
    return tuple(sorted(rows, key=lambda row: (keys.index(row.category), order[row.verdict], row.id)))


def _category(board: Board, key: str, category: Category) -> list[ItemRow]:
    rows, facts = board.rows, facts_of(board, key)
    tried = [row.results[key].items for row in rows if key in row.results and not row.baseline]
    references = [row.results[key].items for row in rows if key in row.results and row.details.get("model") == CEILING]
    ceiling: Mapping[str, float] = references[0] if references else {}
    names = sorted({name for scores in (*tried, ceiling) for name in scores})
    analysed = [_item(category, name, tried, ceiling.get(name)) for name in names]
    return [replace(row, title=facts[row.id].title) if row.id in facts else row for row in analysed]


def _item(category: Category, name: str, tried: Sequence[Mapping[str, float]], ceiling: float | None) -> ItemRow:
    each = [scores for scores in tried if name in scores]
    own = np.array([scores[name] for scores in each], dtype=float)
    solved = float(own.mean()) if len(own) else None
    # The item itself is left out: it would correlate with any mean that includes it.
    able = [scores for scores in each if len(scores) > 1]
    rest = np.array([(sum(scores.values()) - scores[name]) / (len(scores) - 1) for scores in able], dtype=float)
    separates = _correlation(np.array([scores[name] for scores in able], dtype=float), rest)
    low, high = (None, None) if separates is None else _interval(separates, len(able))
    verdict, reason = _verdict(category, solved, high, len(own), ceiling)
    return ItemRow(category.key, name, len(own), solved, separates, ceiling, verdict, reason, low, high)


def _correlation(one: Any, other: Any) -> float | None:
    # Where everybody scores the same there is nothing to correlate.
    if len(one) < ENOUGH or one.std() < 1e-9 or other.std() < 1e-9:
        return None
    return exact(float(np.corrcoef(one, other)[0, 1]))


def _interval(correlation: float, subjects: int) -> tuple[float, float]:
    z = math.atanh(max(-_ALMOST_ONE, min(correlation, _ALMOST_ONE)))
    half = _Z / math.sqrt(subjects - 3)
    return exact(math.tanh(z - half)), exact(math.tanh(z + half))


def _verdict(
    category: Category, solved: float | None, separates_at_most: float | None, subjects: int, ceiling: float | None
) -> tuple[Verdict, str]:
    if ceiling is not None and exact(ceiling) < category.reference_at_least:
        return "suspect", f"its own reference scores {numbers.score(ceiling, 2)}"
    if separates_at_most is not None and separates_at_most < 0:
        return "suspect", "better subjects fail it more often"
    if solved is not None and subjects >= FEW and exact(solved) >= 1:
        return "saturated", "everybody solves it"
    if solved is not None and subjects >= FEW and exact(solved) <= 0:
        return "saturated", "nobody solves it"
    return "fine", ""
