"""What flipped between two subjects, as a document and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.bench.analysis.diff import Difference, Flip
from steelyard.bench.report.reading import reading
from steelyard.report import numbers
from steelyard.report.document import Block, Cell, Column, Document, Heading, Paragraph, table

SHOWN = 600
"""Characters of an answer that a terminal shows."""


def as_json(difference: Difference) -> dict[str, Any]:
    """The difference as JSON data."""
    return {
        "schema_version": 1,
        "suite": difference.suite.name,
        "first": difference.first,
        "second": difference.second,
        "flips": [asdict(flip) for flip in difference.flips],
        "compared": dict(difference.compared),
        "readings": [reading._asdict() for reading in difference.readings],
        "skipped": list(difference.skipped),
        "same": list(difference.same),
    }


def document(difference: Difference, *, shown: int | None = None) -> Document:
    """The difference as a document; answers cut to `shown` characters."""
    blocks: list[Block] = [_summary(difference)]
    blocks += [Paragraph(f"Not compared: {reason}", "warn") for reason in difference.skipped]
    if difference.same:
        blocks.append(Paragraph(f"Both sides hold the same runs: {', '.join(difference.same)}", "warn"))
    for key in difference.compared:
        flips = [flip for flip in difference.flips if flip.category == key]
        if flips:
            name = difference.suite.categories[key].name
            blocks.append(Heading(f"{name}: {len(flips)} of {difference.compared[key]} items flipped"))
            rows = [_cells(flip, shown) for flip in flips]
            blocks.append(table(["Item", Column(difference.first), Column(difference.second)], rows))
    return Document(f"{difference.first} against {difference.second}", tuple(blocks))


def _summary(difference: Difference) -> Block:
    rows: list[list[Cell | str]] = []
    readings = {pair.category: pair for pair in difference.readings}
    for key, count in difference.compared.items():
        up = sum(flip.category == key and flip.second > flip.first for flip in difference.flips)
        down = sum(flip.category == key and flip.second < flip.first for flip in difference.flips)
        pair = readings.get(key)
        measured = reading(pair) if pair else numbers.UNKNOWN
        rows.append([difference.suite.categories[key].name, str(count), str(up), str(down), measured])
    heads = ["Category", *(Column(name, "right") for name in ("Items", "Gained", "Lost")), "Reading"]
    return table(heads, rows)


def _cells(flip: Flip, shown: int | None) -> list[Cell | str]:
    first, second = (_cut(text, shown) for text in (flip.first_answer, flip.second_answer))
    better = flip.second > flip.first
    return [
        f"{flip.id}\n{flip.title}" if flip.title else flip.id,
        Cell(f"{numbers.score(flip.first, 2)}\n{first}", "plain" if better else "good"),
        Cell(f"{numbers.score(flip.second, 2)}\n{second}", "good" if better else "plain"),
    ]


def _cut(text: str, shown: int | None) -> str:
    return text if shown is None or len(text) <= shown else text[:shown] + " …"
