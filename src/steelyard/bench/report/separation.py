"""What a board cannot tell about its best rows (`analysis.separation`), in sentences and as JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.bench.model import Board, Pair, Separation
from steelyard.bench.suite import HARD
from steelyard.outcome import DECIMALS
from steelyard.report import numbers

NAMED = 4
"""Rows named one by one."""


def sentences(board: Board) -> tuple[str, ...]:
    """Empty when the best rows are told apart and none of them is near the maximum."""
    found = board.separation
    if found is None:
        return ()
    return (*_saturated(board, found), *_inseparable(found, board.suite.margin))


def as_json(separation: Separation | None) -> dict[str, Any] | None:
    """None with fewer than two ranked rows."""
    if separation is None:
        return None
    return {
        "top": list(separation.top),
        "items": separation.items,
        "saturated": separation.saturated,
        "saturated_categories": list(separation.saturated_categories),
        "separable": not separation.inseparable,
        "inseparable": [
            {
                "first": pair.first,
                "second": pair.second,
                "delta": pair.delta,
                "low": _rounded(pair.low),
                "high": _rounded(pair.high),
                "items_needed": pair.separates_at,
            }
            for pair in separation.inseparable
        ],
    }


def _saturated(board: Board, separation: Separation) -> list[str]:
    names = [board.suite.categories[key].name for key in separation.saturated_categories]
    if not separation.saturated and not names:
        return []
    who = f"the best {len(separation.top)} rows"
    where = f"within {numbers.margin(board.suite.margin).removeprefix('±')} of the maximum"
    what = f"{who} are {where}" if separation.saturated else f"{who} are near the maximum in {_joined(names)}"
    if separation.saturated and names and len(names) < len(board.suite.categories):
        what += f", above all in {_joined(names)}"
    way = f"; {HARD.title} has harder ones ({HARD.option})" if board.suite.official else ""
    return [f"Saturated: {what}. These items are too easy to rank them{way}."]


def _inseparable(separation: Separation, margin: float) -> list[str]:
    pairs = separation.inseparable
    if not pairs:
        return []
    text = f"Not separable: {_joined(separation.top)} cannot be told apart on these {separation.items} items"
    apart = [pair for pair in pairs if pair.separates_at is not None]
    if not apart:
        alike = not any(pair.delta for pair in pairs)
        why = "; their scores differ on no item, so more items of this kind would not help" if alike else ""
        return [f"{text}{why}."]
    cheapest = min(apart, key=lambda pair: pair.separates_at or 0)
    dearest = max(apart, key=lambda pair: pair.separates_at or 0)
    text += f". About {numbers.count(cheapest.separates_at)} items like these would separate {_pair(cheapest, margin)}"
    if dearest is not cheapest:
        text += f", {numbers.count(dearest.separates_at)} {_pair(dearest, margin)}"
    return [f"{text}, with 80% power."]


def _pair(pair: Pair, margin: float) -> str:
    seen = f"if {numbers.signed(pair.delta)} is the true difference"
    difference = seen if pair.delta else f"if they are {margin * 100:.0f} points apart"
    return f"{pair.first} and {pair.second}, {difference}"


def _joined(names: Sequence[str]) -> str:
    shown = [*names[:NAMED], f"{len(names) - NAMED} more"] if len(names) > NAMED else list(names)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)
