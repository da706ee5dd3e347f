"""Does a fresh run agree with a published board? (docs/scoring.md §1.6)

Reproducible: |overall − published overall| ≤ 0.05 at 6 decimals, for every model in both. The fresh overall is taken
over the categories the published row has. A model whose fresh run is not complete in those cannot be answered, unless
the published run was as partial: equal fingerprint, equal coverage, and a note that says so. Beside the verdict: the
difference per category, what differs in the fingerprint, and how likely such a difference is by chance alone, if both
runs had drawn their items anew (two-sided, normal, SE·√2).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, Literal, TypeAlias, cast

from steelyard.bench.model import CATEGORIES, OVERALL, OVERALL_MARGIN, Board, BoardRow
from steelyard.bench.report.data import DECIMALS, Published
from steelyard.bench.score import margin_of, overall
from steelyard.errors import IncomparableError
from steelyard.outcome import exact
from steelyard.report import numbers
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Paragraph, table
from steelyard.stats.interval import propagate

SHOWN_DRIFT = 0.0005
"""Less than this is the rounding of a published board, which reads as 0.000: told in the JSON alone."""

Agreement: TypeAlias = Literal["within", "outside", "unanswered"]


@dataclass(frozen=True, slots=True)
class Line:
    """One number of one model, fresh against published."""

    key: str
    """A category, or `overall`."""
    published: float | None
    fresh: float | None
    delta: float | None
    tolerance: float
    agreement: Agreement
    chance: float | None
    """Probability of a difference at least this large by chance alone."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """One model in both."""

    model: str
    overall: Line
    categories: tuple[Line, ...]
    differs: tuple[str, ...]
    """`category: field` of the fingerprint; empty when equal, or when the published board carries none."""
    partial: tuple[str, ...]
    """Categories that are partial on both sides, and compared as they stand."""
    drift: float | None
    """Published overall − what its own categories give, when that is not 0."""
    why: str = ""
    """Why it cannot be answered."""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """The answer."""

    models: tuple[Reproduction, ...]
    only_published: tuple[str, ...]
    only_fresh: tuple[str, ...]

    @property
    def verdict(self) -> Agreement:
        """Outside when one is; unanswered when none is and one cannot be answered."""
        found = {each.overall.agreement for each in self.models}
        return "outside" if "outside" in found else "unanswered" if "unanswered" in found else "within"


def reproduced(published: Mapping[str, Published], board: Board) -> Reproduced:
    """The published rows against the fresh board; `IncomparableError` when no model is in both."""
    fresh = {row.model: row for row in board.rows}
    both = [name for name in published if name in fresh]
    if not both:
        raise IncomparableError(
            f"no model stands in both: published {', '.join(published)}; fresh {', '.join(fresh)}",
            cure="run the published models, or name them with --label",
        )
    models = tuple(_model(published[name], fresh[name]) for name in both)
    missing = tuple(name for name in published if name not in fresh)
    return Reproduced(models, missing, tuple(name for name in fresh if name not in published))


def as_json(found: Reproduced) -> dict[str, Any]:
    """The answer as JSON data."""
    return {"schema_version": 1, "verdict": found.verdict, "tolerance": OVERALL_MARGIN, **asdict(found)}


def document(found: Reproduced) -> Document:
    """The answer as a document."""
    rows = [_cells(each, line) for each in found.models for line in (each.overall, *each.categories)]
    figures = [Column(name, "right") for name in ("Board", "Fresh", "Δ")]
    columns = [Column("Model", shrink=True), "", *figures, "Agrees", Column("Chance", "right")]
    blocks: list[Block] = [Paragraph(*_verdict(found)), table(columns, rows)]
    if notes := _notes(found):
        blocks.append(Bullets(tuple(notes)))
    return Document("Reproduction of a published board", tuple(blocks))


def _model(published: Published, row: BoardRow) -> Reproduction:
    keys = [key for key in CATEGORIES if key in published.scores]
    why = _why(published, row, keys)
    scores = {key: row.results[key].score for key in keys if key in row.results}
    fresh = None if why else overall(scores)
    se = None if why else _se(row, keys)
    total = _line(OVERALL, published.overall, fresh, se, OVERALL_MARGIN)
    lines = tuple(_category(key, published, row) for key in keys)
    drift = published.drift if published.drift and exact(abs(published.drift)) > 1e-6 else None
    partial = tuple(key for key in keys if not why and key in row.results and not row.results[key].complete)
    return Reproduction(row.model, total, lines, _differs(published, row), partial, drift, why)


def _why(published: Published, row: BoardRow, keys: list[str]) -> str:
    if published.overall is None:
        return "the published overall is withheld"
    if not keys:
        return ""
    lacking = [key for key in keys if not _answers(key, published, row)]
    if lacking:
        return f"the fresh run is not complete in {', '.join(CATEGORIES[key].name for key in lacking)}"
    return ""


def _answers(key: str, published: Published, row: BoardRow) -> bool:
    """Whether the fresh run of a category is full, or no more partial than what was published."""
    result = row.results.get(key)
    if result is None or result.complete:
        return result is not None
    same = key in published.fingerprints and not _differing(published.fingerprints[key], result.fingerprint)
    return same and not result.lost and published.coverage.get(key) == round(result.coverage, DECIMALS)


def _category(key: str, published: Published, row: BoardRow) -> Line:
    result = row.results.get(key) if _answers(key, published, row) else None
    se = result.interval.se if result is not None and result.interval else None
    fresh = result.score if result is not None else None
    return _line(key, published.scores[key], fresh, se, margin_of(key))


def _line(key: str, published: float | None, fresh: float | None, se: float | None, tolerance: float) -> Line:
    if published is None or fresh is None:
        return Line(key, published, fresh, None, tolerance, "unanswered", None)
    delta = exact(fresh - published)
    chance = 2 * NormalDist().cdf(-abs(delta) / (math.sqrt(2) * se)) if se else None
    agreement: Agreement = "within" if exact(abs(delta)) <= exact(tolerance) else "outside"
    return Line(key, published, exact(fresh), delta, tolerance, agreement, chance)


def _se(row: BoardRow, keys: list[str]) -> float | None:
    parts = [(CATEGORIES[key].weight, row.results[key].interval) for key in keys]
    known = [(weight, interval) for weight, interval in parts if interval is not None]
    return propagate(known).se if known else None


def _differs(published: Published, row: BoardRow) -> tuple[str, ...]:
    named: list[str] = []
    for key, mark in published.fingerprints.items():
        if key in row.results and row.results[key].fingerprint is not None:
            named += [f"{key}: {name}" for name in _differing(mark, row.results[key].fingerprint)]
    return tuple(named)


def _differing(published: Any, fresh: Any) -> list[str]:
    """Fields of the fingerprint that both have and that are not equal; what is no fingerprint differs whole."""
    if not isinstance(published, dict) or fresh is None:
        return ["fingerprint"]
    earlier, now = cast(dict[str, Any], published), json.loads(json.dumps(asdict(fresh)))
    return [name for name in now if name in earlier and earlier[name] != now[name]]


def _cells(each: Reproduction, line: Line) -> list[Cell | str]:
    first = line.key == OVERALL
    tone = {"within": "good", "outside": "bad" if first else "warn", "unanswered": "warn"}[line.agreement]
    return [
        each.model if first else "",
        "Overall" if first else CATEGORIES[line.key].short,
        numbers.percent(line.published),
        numbers.percent(line.fresh),
        numbers.signed(line.delta),
        Cell(f"{line.agreement} {numbers.margin(line.tolerance)}", cast(Any, tone)),
        numbers.percent(line.chance, 0),
    ]


def _verdict(found: Reproduced) -> tuple[str, Any]:
    count = len(found.models)
    if found.verdict == "within":
        who = f"all {count} models are" if count > 1 else f"{found.models[0].model} is"
        return f"Reproducible: {who} within {numbers.margin(OVERALL_MARGIN)} overall.", "good"
    if found.verdict == "outside":
        names = ", ".join(each.model for each in found.models if each.overall.agreement == "outside")
        return f"Not reproducible: {names} outside {numbers.margin(OVERALL_MARGIN)} overall.", "bad"
    return "Not answered: no model is outside, and not every one could be compared.", "warn"


def _notes(found: Reproduced) -> list[str]:
    notes = [f"{each.model}: {each.why}" for each in found.models if each.why]
    notes += [
        f"{each.model}: partial on both sides, compared as it stands: {_short_names(each.partial)}"
        for each in found.models
        if each.partial
    ]
    notes += [
        f"{each.model}: the fingerprint differs in {', '.join(each.differs)}" for each in found.models if each.differs
    ]
    notes += [
        f"{each.model}: the published overall is {numbers.signed(each.drift)} off what its own categories give"
        for each in found.models
        if each.drift is not None and exact(abs(each.drift)) >= SHOWN_DRIFT
    ]
    if found.only_published:
        notes.append(f"published, not run: {', '.join(found.only_published)}")
    if found.only_fresh:
        notes.append(f"run, not published: {', '.join(found.only_fresh)}")
    return notes


def _short_names(keys: Iterable[str]) -> str:
    return ", ".join(CATEGORIES[key].short for key in keys)
