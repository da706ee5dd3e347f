"""Published boards over time (`analysis.history`), as a document, JSON data and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from steelyard.bench.analysis.history import Point, Since
from steelyard.bench.report.data import csv_of
from steelyard.bench.suite import Suite
from steelyard.report import numbers
from steelyard.report.document import Cell, Column, Document, Paragraph, Tone, table

_TONES: dict[Since, Tone] = {"moved": "bad", "steady": "good", "undecided": "warn"}
_LEGEND = (
    "moved, steady, undecided: the overall score on the same items, since the model's board before. not comparable: "
    "items or scorers differ between the two."
)


def as_json(points: Sequence[Point], suite: Suite) -> dict[str, Any]:
    """The history as JSON data."""
    return {"schema_version": 1, "suite": suite.name, "points": [asdict(point) for point in points]}


def csv_text(points: Sequence[Point]) -> str:
    """One line per model and board."""
    return csv_of((each.name for each in fields(Point)), (asdict(point) for point in points))


def document(points: Sequence[Point], suite: Suite) -> Document:
    """One line per model and board, each model's boards in the order of time."""
    rows: list[list[Cell | str]] = []
    shown: str | None = None
    for point in points:
        rows.append([point.model if point.model != shown else "", *_cells(point)])
        shown = point.model
    figures = [Column(name, "right") for name in ("Overall", "Rank", "Δ")]
    columns = [Column("Model", shrink=True), "Made", *figures, "Since", Column("Board", shrink=True, spare=1)]
    boards, models = len({point.board for point in points}), len({point.model for point in points})
    title = f"{suite.title}: {numbers.things(models, 'model')} on {numbers.things(boards, 'board')}"
    return Document(title, (table(columns, rows), Paragraph(_LEGEND, "muted")))


def _cells(point: Point) -> list[Cell | str]:
    return [
        point.generated_at[:16].replace("T", " "),
        numbers.percent(point.overall),
        str(point.rank or numbers.UNKNOWN),
        numbers.signed(point.delta),
        Cell(point.since, _TONES.get(point.since, "muted")),
        point.board,
    ]
