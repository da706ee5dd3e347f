"""Scores over rounds, and the blind spots: what is missed again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steelyard.audit.model import SEVERITIES, Problem, Result

BLIND = 0.5
"""Share of missed cells from which a category or severity is a blind spot."""

MIN_ROUNDS = 2
"""Rounds in which it must be missed like that: once may be chance."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One result and when it was made."""

    result: Result
    made: str
    """ISO 8601, or empty; breaks ties between equal rounds."""
    source: str


@dataclass(frozen=True, slots=True)
class Line:
    """One agent on one document over rounds."""

    name: str
    document: str
    entries: tuple[Entry, ...]
    """In the order of the rounds."""


@dataclass(frozen=True, slots=True)
class Blind:
    """Something that is missed again and again."""

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
class History:
    """All lines, and the blind spots over them."""

    lines: tuple[Line, ...]
    blind: tuple[Blind, ...]


def history(entries: Sequence[Entry]) -> History:
    """The history behind a heap of results."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.result.name, entry.result.document), []).append(entry)
    lines = [Line(name, document, _ordered(found)) for (name, document), found in sorted(groups.items())]
    kinds: tuple[tuple[str, Callable[[Problem], str]], ...] = (
        ("severity", lambda problem: problem.severity),
        ("category", lambda problem: problem.category or "(none)"),
        ("problem", lambda problem: f"{problem.id}: {problem.title}"),
    )
    blind = [spot for kind, label in kinds for spot in _blind(kind, label, entries)]
    return History(tuple(lines), tuple(blind))


def _ordered(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda each: (each.result.round, each.made, each.source)))


def _blind(kind: str, label: Callable[[Problem], str], entries: Sequence[Entry]) -> list[Blind]:
    cells: dict[str, dict[int, list[bool]]] = {}
    for entry in entries:
        names = {each.id: label(each) for each in entry.result.problems}
        for run in entry.result.runs:
            for cell in run.cells:
                rounds = cells.setdefault(names[cell.problem], {})
                rounds.setdefault(entry.result.round, []).append(cell.mark == "missed")
    spots = [_spot(kind, what, rounds) for what, rounds in cells.items()]
    again = [spot for spot in spots if spot.share >= BLIND and spot.rounds >= MIN_ROUNDS]
    return sorted(again, key=lambda spot: (-spot.share, -spot.cells, _rank(spot.what), spot.what))


def _spot(kind: str, what: str, rounds: dict[int, list[bool]]) -> Blind:
    missed = sum(sum(found) for found in rounds.values())
    total = sum(len(found) for found in rounds.values())
    often = sum(sum(found) / len(found) >= BLIND for found in rounds.values())
    return Blind(kind, what, missed, total, often, len(rounds))


def _rank(what: str) -> int:
    return SEVERITIES.index(what) if what in SEVERITIES else len(SEVERITIES)
