"""Has a model's score left its interval since the last board?

    left = a fresh overall or category score outside the 95% interval that the earlier board gave it

Two boards are compared as published, without their logs: that is what a nightly run has at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.bench.model import CATEGORIES, OVERALL
from steelyard.bench.report.published import read_published
from steelyard.errors import IncomparableError, InputError, boundary
from steelyard.outcome import exact
from steelyard.report import numbers
from steelyard.report.document import Block, Cell, Column, Document, Paragraph, table


@dataclass(frozen=True, slots=True)
class Move:
    """One score now, and where it was expected."""

    model: str
    key: str
    """A category, or `overall`."""
    before: float | None
    low: float
    high: float
    now: float

    @property
    def left(self) -> bool:
        """Whether the score is outside."""
        return not exact(self.low) <= exact(self.now) <= exact(self.high)


def moves(earlier: Path, later: Path) -> tuple[Move, ...]:
    """Every score of the later board for which the earlier one has an interval."""
    before, after = read_published(earlier), read_published(later)
    intervals = _intervals(earlier)
    moves: list[Move] = []
    for name, row in after.items():
        for key in (OVERALL, *CATEGORIES):
            now = row.overall if key == OVERALL else row.scores.get(key)
            ends = intervals.get(name, {}).get(key)
            if now is not None and ends is not None and name in before:
                then = before[name].overall if key == OVERALL else before[name].scores.get(key)
                moves.append(Move(name, key, then, *ends, now))
    if not moves:
        raise IncomparableError(
            "the two boards share no model with an interval", cure="make the earlier one with bench board"
        )
    return tuple(moves)


def document(moves: tuple[Move, ...]) -> Document:
    """What left its interval, or that nothing did."""
    gone = [move for move in moves if move.left]
    names = len({move.model for move in moves})
    if not gone:
        return Document(
            "SA Bench: every score is inside its interval", (Paragraph(f"{names} models compared.", "good"),)
        )
    columns = ["Model", "What", *(Column(name, "right") for name in ("Before", "95%", "Now"))]
    blocks: tuple[Block, ...] = (
        Paragraph("The board before gave each score the interval shown; the score now lies outside."),
        table(columns, [_cells(move) for move in gone]),
        Paragraph("A provider may have changed the model, the harness may have changed, or it is the one in twenty."),
    )
    return Document(f"SA Bench: {len({move.model for move in gone})} of {names} models left their interval", blocks)


def _cells(move: Move) -> list[Cell | str]:
    what = "Overall" if move.key == OVERALL else CATEGORIES[move.key].name
    ends = numbers.percent_range(move.low, move.high, 1)
    return [move.model, what, numbers.percent(move.before), ends, Cell(numbers.percent(move.now), "bad")]


def _intervals(path: Path) -> Mapping[str, Mapping[str, tuple[float, float]]]:
    models = cast(list[dict[str, Any]], cast(dict[str, Any], artifact.read_json(path))["models"])
    with boundary(InputError, f"{path}: the intervals cannot be read"):
        return {str(row["model"]): _ends(row.get("intervals")) for row in models}


def _ends(intervals: Any) -> dict[str, tuple[float, float]]:
    known = cast(dict[str, dict[str, Any] | None], intervals if isinstance(intervals, dict) else {})
    return {key: (float(ends["low"]), float(ends["high"])) for key, ends in known.items() if ends}
