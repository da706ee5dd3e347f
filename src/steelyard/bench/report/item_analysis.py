"""The item analysis as a document, as JSON data and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from steelyard.bench.analysis.items import ENOUGH, ItemRow, Verdict
from steelyard.bench.report.data import csv_of
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.report import numbers
from steelyard.report.document import Block, Cell, Column, Document, Heading, Paragraph, Tone, table

_TONES: dict[Verdict, Tone] = {"suspect": "bad", "saturated": "warn", "fine": "plain"}


def as_json(items: Sequence[ItemRow]) -> dict[str, Any]:
    """The analysis as JSON data."""
    return {"schema_version": 1, "items": [asdict(row) for row in items]}


def csv_text(items: Sequence[ItemRow]) -> str:
    """One line per item."""
    return csv_of((each.name for each in fields(ItemRow)), (asdict(row) for row in items))


def document(items: Sequence[ItemRow], suite: Suite = OFFICIAL) -> Document:
    """The analysis as a document."""
    blocks: list[Block] = []
    for key, category in suite.categories.items():
        rows = [row for row in items if row.category == key]
        if rows:
            odd = sum(row.verdict != "fine" for row in rows)
            subjects = max(row.subjects for row in rows)
            blocks.append(Heading(f"{category.name}: {len(rows)} items, {subjects} subjects, {odd} to look at"))
            if subjects < ENOUGH:
                few = f"Fewer than {ENOUGH} subjects: too few to say what an item separates."
                blocks.append(Paragraph(few, "warn"))
            columns = ["Item", Column("Title", shrink=True, spare=1), "Solved", Column("Separates", "right")]
            blocks.append(table([*columns, "Verdict", "Why"], [_cells(row) for row in rows]))
    return Document("Item analysis", tuple(blocks))


def _separates(row: ItemRow) -> str:
    if row.discrimination is None:
        return numbers.UNKNOWN
    ends = (numbers.signed(end, 2) for end in (row.discrimination_low, row.discrimination_high))
    return f"{numbers.signed(row.discrimination, 2)} ({' to '.join(ends)})"


def _cells(row: ItemRow) -> list[Cell | str]:
    share = f"{numbers.percent(row.solved, 0):>4}"
    solved = Cell(numbers.UNKNOWN) if row.solved is None else Cell(share, bar=row.solved)
    return [row.id, row.title, solved, _separates(row), Cell(row.verdict, _TONES[row.verdict]), row.reason]
