"""Which items flipped between two subjects, with both answers side by side.

Binary items flip when one side passes and the other does not; rubric items when they moved by more than 0.10, the
declared definite difference. Only items that both sides were scored on, under equal fingerprints, are compared.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from steelyard.bench.analysis.pairs import pair
from steelyard.bench.comparable import unlike
from steelyard.bench.model import CATEGORIES, BoardRow, CategoryResult, Pair
from steelyard.bench.read.answers import read_answer, redacted
from steelyard.bench.report.document import measured_text
from steelyard.bench.score import DEFINITE_ABOVE
from steelyard.errors import IncomparableError
from steelyard.outcome import exact
from steelyard.report import numbers
from steelyard.report.document import Block, Cell, Column, Document, Heading, Paragraph, table

SHOWN = 600
"""Characters of an answer that a terminal shows."""


@dataclass(frozen=True, slots=True)
class Flip:
    """One item with two different outcomes."""

    category: str
    id: str
    first: float
    second: float
    first_answer: str
    second_answer: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two subjects, item by item."""

    first: str
    second: str
    flips: tuple[Flip, ...]
    compared: dict[str, int]
    """Category → items both were scored on."""
    readings: tuple[Pair, ...]
    skipped: tuple[str, ...]
    """Categories that could not be compared, and why."""


def difference(rows: tuple[BoardRow, BoardRow], names: tuple[str, str], *, reveal: bool = False) -> Difference:
    """What flipped from the first row to the second; `IncomparableError` when not one item can be compared."""
    one, other = rows
    flips: list[Flip] = []
    compared: dict[str, int] = {}
    skipped: list[str] = []
    for key in CATEGORIES:
        first, second = one.results.get(key), other.results.get(key)
        if first is None or second is None:
            continue
        if why := _why(first, second):
            skipped.append(f"{CATEGORIES[key].name}: {why}")
            continue
        shared = sorted(first.items.keys() & second.items.keys())
        compared[key] = len(shared)
        moved = [item for item in shared if flipped(key, first.items[item], second.items[item])]
        flips += [_flip(key, item, rows, reveal) for item in moved]
    if not any(compared.values()):
        raise IncomparableError(
            f"{names[0]} and {names[1]} share no comparable item" + "".join(f"; {s}" for s in skipped)
        )
    readings = tuple(reading for key in compared if (reading := pair([one, other], key)) is not None)
    return Difference(*names, tuple(flips), compared, readings, tuple(skipped))


def flipped(key: str, first: float, second: float) -> bool:
    """Whether an item counts as flipped."""
    if CATEGORIES[key].scoring == "binary":
        return (exact(first) >= 1) != (exact(second) >= 1)
    return exact(abs(first - second)) > DEFINITE_ABOVE


def as_json(difference: Difference) -> dict[str, Any]:
    """The difference as JSON data."""
    return {"schema_version": 1, **asdict(difference)}


def document(difference: Difference, *, shown: int | None = None) -> Document:
    """The difference as a document; answers cut to `shown` characters."""
    blocks: list[Block] = [_summary(difference)]
    blocks += [Paragraph(f"Not compared: {reason}", "warn") for reason in difference.skipped]
    for key in difference.compared:
        flips = [flip for flip in difference.flips if flip.category == key]
        if flips:
            blocks.append(Heading(f"{CATEGORIES[key].name}: {len(flips)} of {difference.compared[key]} items flipped"))
            rows = [_cells(flip, shown) for flip in flips]
            blocks.append(table(["Item", Column(difference.first), Column(difference.second)], rows))
    return Document(f"{difference.first} against {difference.second}", tuple(blocks))


def _summary(difference: Difference) -> Block:
    rows: list[list[Cell | str]] = []
    readings = {reading.category: reading for reading in difference.readings}
    for key, count in difference.compared.items():
        up = sum(flip.category == key and flip.second > flip.first for flip in difference.flips)
        down = sum(flip.category == key and flip.second < flip.first for flip in difference.flips)
        reading = readings.get(key)
        measured = measured_text(reading) if reading else numbers.UNKNOWN
        rows.append([CATEGORIES[key].name, str(count), str(up), str(down), measured])
    heads = ["Category", *(Column(name, "right") for name in ("Items", "Gained", "Lost")), "Measured"]
    return table(heads, rows)


def _cells(flip: Flip, shown: int | None) -> list[Cell | str]:
    first, second = (_cut(text, shown) for text in (flip.first_answer, flip.second_answer))
    better = flip.second > flip.first
    return [
        flip.id,
        Cell(f"{numbers.score(flip.first, 2)}\n{first}", "plain" if better else "good"),
        Cell(f"{numbers.score(flip.second, 2)}\n{second}", "good" if better else "plain"),
    ]


def _cut(text: str, shown: int | None) -> str:
    return text if shown is None or len(text) <= shown else text[:shown] + " …"


def _why(first: CategoryResult, second: CategoryResult) -> str:
    fields = unlike(first.fingerprint, second.fingerprint, CATEGORIES[first.category])
    if fields == ("fingerprint",):
        return "one side carries no fingerprint"
    return f"the fingerprints differ in {', '.join(fields)}" if fields else ""


def _flip(key: str, item: str, rows: tuple[BoardRow, BoardRow], reveal: bool) -> Flip:
    scores = [row.results[key].items[item] for row in rows]
    answers = [_said(row, key, item, reveal) for row in rows]
    return Flip(key, item, scores[0], scores[1], answers[0], answers[1])


def _said(row: BoardRow, key: str, item: str, reveal: bool) -> str:
    result = row.results[key]
    answer = read_answer(result.logs[-1], item, 1, result.scorer.partition("@")[0])
    return redacted(answer, str(row.details.get("model")), reveal=reveal).answer
