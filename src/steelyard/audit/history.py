"""Scores over rounds, and blind spots: problems that are missed again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from steelyard.audit.model import SEVERITIES, Problem, Result
from steelyard.rows import Tabular

BLIND = 0.5
"""Share of missed cells from which a category or severity is a blind spot."""

MIN_ROUNDS = 2
"""Rounds in which that share must be missed: once may be chance."""


@dataclass(frozen=True, slots=True)
class DatedResult:
    """One result and when it was produced."""

    result: Result
    created: str
    """ISO 8601, or empty; breaks ties between equal rounds."""
    source: str

    @property
    def moment(self) -> datetime:
        """When it was produced, to be compared whatever its time zone; before all others if that is not known."""
        try:
            parsed = datetime.fromisoformat(self.created)
        except ValueError:
            return datetime.min.replace(tzinfo=UTC)
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Series:
    """One agent on one document over rounds."""

    name: str
    document: str
    results: tuple[DatedResult, ...]
    """In the order of the rounds."""


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """A problem, category or severity that is missed again and again."""

    kind: str
    """`category`, `severity` or `problem`."""
    what: str
    missed: int
    cells: int
    rounds: int
    """Rounds in which at least half was missed."""
    of: int

    @property
    def share(self) -> float:
        return self.missed / self.cells


@dataclass(frozen=True, slots=True)
class History(Tabular):
    """All series, and the blind spots over them."""

    series: tuple[Series, ...]
    blind_spots: tuple[BlindSpot, ...]
    warnings: tuple[str, ...] = ()
    """Files that could not be read, one line each."""

    def records(self) -> list[dict[str, Any]]:
        """One line per result, each series in the order of its rounds."""
        return [
            {"name": series.name, "document": series.document, "created": dated.created}
            | {each: getattr(dated.result, each) for each in ("round", "mean", "sd", "stability")}
            for series in self.series
            for dated in series.results
        ]


def history(results: Sequence[DatedResult], warnings: Sequence[str] = ()) -> History:
    """The history of any number of results, in any order."""
    groups: dict[tuple[str, str], list[DatedResult]] = {}
    for dated in results:
        groups.setdefault((dated.result.name, dated.result.document), []).append(dated)
    series = [Series(name, document, _ordered(group)) for (name, document), group in sorted(groups.items())]
    kinds: tuple[tuple[str, Callable[[Problem], str]], ...] = (
        ("severity", lambda problem: problem.severity),
        ("category", lambda problem: problem.category or "(none)"),
        ("problem", lambda problem: f"{problem.id}: {problem.title}"),
    )
    spots = [spot for kind, label in kinds for spot in _blind_spots(kind, label, results)]
    return History(tuple(series), tuple(spots), tuple(warnings))


def _ordered(results: Sequence[DatedResult]) -> tuple[DatedResult, ...]:
    return tuple(sorted(results, key=lambda dated: (dated.result.round, dated.moment, dated.source)))


def _blind_spots(kind: str, label: Callable[[Problem], str], results: Sequence[DatedResult]) -> list[BlindSpot]:
    missed: dict[str, dict[int, list[bool]]] = {}
    for result in (dated.result for dated in results):
        labels = {problem.id: label(problem) for problem in result.problems}
        for cell in (cell for run in result.runs for cell in run.cells):
            rounds = missed.setdefault(labels[cell.problem], {})
            rounds.setdefault(result.round, []).append(cell.mark == "missed")
    spots = [_spot(kind, what, rounds) for what, rounds in missed.items()]
    repeated = [spot for spot in spots if spot.share >= BLIND and spot.rounds >= MIN_ROUNDS]
    return sorted(repeated, key=lambda spot: (-spot.share, -spot.cells, _rank(spot.what), spot.what))


def _spot(kind: str, what: str, rounds: dict[int, list[bool]]) -> BlindSpot:
    misses = sum(sum(cells) for cells in rounds.values())
    total = sum(len(cells) for cells in rounds.values())
    often = sum(sum(cells) / len(cells) >= BLIND for cells in rounds.values())
    return BlindSpot(kind, what, misses, total, often, len(rounds))


def _rank(what: str) -> int:
    return SEVERITIES.index(what) if what in SEVERITIES else len(SEVERITIES)
