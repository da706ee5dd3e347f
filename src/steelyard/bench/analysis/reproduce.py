"""Does a fresh run agree with a published board? (docs/scoring.md §1.6)

Reproducible: |overall − published overall| ≤ 0.05 at 6 decimals, for every model in both. The fresh overall is taken
over the categories of the published row. A model whose fresh run is not complete in those is unanswered, unless the
published run was equally partial: equal fingerprint, equal coverage, and a note. Beside the verdict: the difference per
category, what differs in the fingerprint, and the probability of such a difference by chance alone, if both runs had
drawn their items again (two-sided, normal, SE·√2).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, Literal, TypeAlias, cast

from steelyard.bench.category import Category
from steelyard.bench.model import OVERALL, Board, BoardRow
from steelyard.bench.report.published import Published
from steelyard.bench.score import overall
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.errors import IncomparableError
from steelyard.outcome import DECIMALS, exact
from steelyard.rows import Tabular
from steelyard.stats.interval import propagate

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
    """One model that is in both boards."""

    model: str
    overall: Line
    categories: tuple[Line, ...]
    differs: tuple[str, ...]
    """`category: field` of the fingerprint; empty when equal, or when the published board carries none."""
    partial: tuple[str, ...]
    """Categories that are partial on both sides, and compared anyway."""
    drift: float | None
    """Published overall − what its own categories give, when that is not 0."""
    why: str = ""
    """Why it cannot be answered."""


@dataclass(frozen=True, slots=True)
class Reproduced(Tabular):
    """The published board against the fresh one."""

    models: tuple[Reproduction, ...]
    only_published: tuple[str, ...]
    only_fresh: tuple[str, ...]
    suite: Suite = OFFICIAL
    """Whose boards these are."""

    def records(self) -> list[dict[str, Any]]:
        """One line per model and category, and one for its overall score."""
        return [
            {"model": model.model} | asdict(line)
            for model in self.models
            for line in (model.overall, *model.categories)
        ]

    @property
    def verdict(self) -> Agreement:
        """`outside` if any model is, else `unanswered` if any model is, else `within`."""
        agreements = {model.overall.agreement for model in self.models}
        return "outside" if "outside" in agreements else "unanswered" if "unanswered" in agreements else "within"


def reproduced(published: Mapping[str, Published], board: Board) -> Reproduced:
    """The published rows against the fresh board; raises `IncomparableError` if no model is in both."""
    fresh = {row.model: row for row in board.rows}
    both = [name for name in published if name in fresh]
    if not both:
        raise IncomparableError(
            f"no model is in both: published {', '.join(published)}; fresh {', '.join(fresh)}",
            cure="run the published models, or name them with --label",
        )
    models = tuple(_model(published[name], fresh[name], board.suite) for name in both)
    missing = tuple(name for name in published if name not in fresh)
    return Reproduced(models, missing, tuple(name for name in fresh if name not in published), board.suite)


def _model(published: Published, row: BoardRow, suite: Suite) -> Reproduction:
    keys = [key for key in suite.categories if key in published.scores]
    why = _why(published, row, [suite.categories[key] for key in keys])
    scores = {key: row.results[key].score for key in keys if key in row.results}
    fresh = None if why else overall(scores, suite)
    se = None if why else _se(row, keys, suite)
    total = _line(OVERALL, published.overall, fresh, se, suite.margin)
    lines = tuple(_category(suite.categories[key], published, row) for key in keys)
    # A published board is rounded to six decimals, so smaller differences mean nothing.
    drift = published.drift if published.drift and exact(abs(published.drift)) > 1e-6 else None
    partial = tuple(key for key in keys if not why and key in row.results and not row.results[key].complete)
    return Reproduction(row.model, total, lines, _differs(published, row), partial, drift, why)


def _why(published: Published, row: BoardRow, categories: list[Category]) -> str:
    if published.overall is None:
        return "the published overall is withheld"
    lacking = [category.name for category in categories if not _answers(category.key, published, row)]
    return f"the fresh run is not complete in {', '.join(lacking)}" if lacking else ""


def _answers(key: str, published: Published, row: BoardRow) -> bool:
    """Whether the fresh run of a category is full, or no more partial than what was published."""
    result = row.results.get(key)
    if result is None or result.complete:
        return result is not None
    same = key in published.fingerprints and not _differing(published.fingerprints[key], result.fingerprint)
    # The run must be partial because of the same limit, not because runs were lost.
    return same and not result.lost and published.coverage.get(key) == round(result.coverage, DECIMALS)


def _category(category: Category, published: Published, row: BoardRow) -> Line:
    key = category.key
    result = row.results.get(key) if _answers(key, published, row) else None
    se = result.interval.se if result is not None and result.interval else None
    fresh = result.score if result is not None else None
    return _line(key, published.scores[key], fresh, se, category.margin)


def _line(key: str, published: float | None, fresh: float | None, se: float | None, tolerance: float) -> Line:
    if published is None or fresh is None:
        return Line(key, published, fresh, None, tolerance, "unanswered", None)
    delta = exact(fresh - published)
    # Without a standard error there is no distribution to compare with.
    chance = 2 * NormalDist().cdf(-abs(delta) / (math.sqrt(2) * se)) if se else None
    agreement: Agreement = "within" if exact(abs(delta)) <= exact(tolerance) else "outside"
    return Line(key, published, exact(fresh), delta, tolerance, agreement, chance)


def _se(row: BoardRow, keys: list[str], suite: Suite) -> float | None:
    parts = [(suite.categories[key].weight, row.results[key].interval) for key in keys]
    known = [(weight, interval) for weight, interval in parts if interval is not None]
    return propagate(known).se if known else None


def _differs(published: Published, row: BoardRow) -> tuple[str, ...]:
    names: list[str] = []
    for key, mark in published.fingerprints.items():
        if key in row.results and row.results[key].fingerprint is not None:
            names += [f"{key}: {name}" for name in _differing(mark, row.results[key].fingerprint)]
    return tuple(names)


def _differing(published: Any, fresh: Any) -> list[str]:
    """Fields of the fingerprint that both have and that differ; `fingerprint` if either side has none."""
    if not isinstance(published, dict) or fresh is None:
        return ["fingerprint"]
    earlier, now = cast(dict[str, Any], published), json.loads(json.dumps(asdict(fresh)))
    # Boards of earlier versions lack newer fields, which does not count as a difference.
    return [name for name in now if name in earlier and earlier[name] != now[name]]
