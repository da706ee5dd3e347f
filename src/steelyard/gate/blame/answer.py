"""(parts, pairs that ran, margin) → an answer per part (docs/scoring.md §3.7). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from steelyard.gate.blame.design import task_shares, weights
from steelyard.gate.blame.effects import STRONGEST, Effect, estimates, interactions
from steelyard.gate.blame.recipe import Lines, Part, Piece
from steelyard.gate.blame.weigh import Tally, advance, start
from steelyard.gate.model import Run
from steelyard.gate.score import composite
from steelyard.rows import Tabular
from steelyard.stats.paired import Array

Answer = Literal["harms", "helps", "no effect", "cannot tell"]

ANSWERS: tuple[Answer, ...] = ("harms", "helps", "no effect", "cannot tell")


@dataclass(frozen=True, slots=True)
class PairRun:
    """Two runs of one task, each with the parts that the other lacks."""

    task: int
    signs: tuple[int, ...]
    """+1: the first run has the part; −1: the second has it."""
    runs: tuple[Run, Run] | None
    """None if one of them has no score: the pair does not count."""

    @property
    def scores(self) -> tuple[float, float]:
        """Both composites before cost; the judge counts if it graded both."""
        assert self.runs is not None
        # A score with a judge and one without are not on one scale.
        judged = all(run.judge is not None for run in self.runs)
        first, second = (composite(run, judged=judged) for run in self.runs)
        return first, second


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What the runs say about one part."""

    part: Part
    answer: Answer
    effect: Effect
    """On the score of a task."""
    e: float
    """Evidence that it has any effect, whatever its sign; named from parts/α on."""
    tokens: Effect | None = None
    usd: Effect | None = None
    seconds: Effect | None = None


class Together(NamedTuple):
    """Two parts that act together."""

    first: str
    second: str
    effect: Effect


class MarkedFile(NamedTuple):
    """A text file of the candidate."""

    path: str
    stretches: tuple[tuple[int | None, str], ...]
    """(part or None if it stays, text)."""


@dataclass(frozen=True, slots=True)
class Blame(Tabular):
    """The answer of `gate blame`."""

    LINES = "parts"

    label: str
    parts: tuple[PartAnswer, ...]
    margin: float
    alpha: float
    runs: int
    unscored: int
    """Runs of pairs that do not count because one of them has no score."""
    looks: int
    seed: int
    usd: float | None
    stopped: str
    """Why no further run was started."""
    together: tuple[Together, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[MarkedFile, ...] = ()
    """The text files of the candidate, with the part of each stretch."""
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was taken apart and how, so that `gate prune` can do it again."""

    def named(self, answer: Answer) -> tuple[PartAnswer, ...]:
        """The parts with an answer."""
        return tuple(one for one in self.parts if one.answer == answer)


class Record:
    """The pairs that ran, look by look. Mutable: it grows with every look."""

    def __init__(self, parts: int, tasks: int, margin: float, alpha: float) -> None:
        self.standing: Tally = start((parts,), margin, alpha)
        self.pairs: list[PairRun] = []
        self.weights: list[float] = []
        self.looks = 0
        self.unscored = 0
        self._squares, self._counts = np.zeros(tasks), np.zeros(tasks)

    @property
    def shares(self) -> Array:
        """How often each task comes in the next look."""
        return task_shares(self._squares, self._counts)

    def look(self, pairs: Sequence[PairRun]) -> None:
        """Weigh the pairs of one more look."""
        # The shares that this look was drawn by, before its own pairs change them.
        shares = self.shares
        whole = [pair for pair in pairs if pair.runs is not None]
        self.looks += 1
        self.unscored += 2 * (len(pairs) - len(whole))
        if not whole:
            return
        heavy = weights(shares, np.array([pair.task for pair in whole]))
        seen = np.array([first - second for first, second in (pair.scores for pair in whole)])
        self.standing = advance(self.standing, _signs(whole), heavy * seen)
        # Unweighted: the variance of a task itself sets its share of the next look.
        np.add.at(self._squares, [pair.task for pair in whole], seen**2)
        np.add.at(self._counts, [pair.task for pair in whole], 1)
        self.pairs += whole
        self.weights += heavy.tolist()

    @property
    def answered(self) -> int:
        """Parts that have an answer."""
        return int(self.standing.answered.sum())


def answers(record: Record, parts: Sequence[Part]) -> tuple[PartAnswer, ...]:
    """One answer per part."""
    standing = record.standing
    effects = _measured(record, lambda run: 0.0, scores=True) or [Effect(0.0, None, None)] * len(parts)
    tokens = _measured(record, lambda run: _known(run.cost.tokens, run.claims.tokens))
    usd = _measured(record, lambda run: _known(run.cost.cost_usd, run.claims.cost_usd))
    clock = _measured(record, lambda run: _seconds(_known(run.cost.wall_clock_ms, run.claims.wall_clock_ms)))
    return tuple(
        PartAnswer(
            part,
            _answer(standing, number),
            effects[number],
            float(standing.e[number]),
            *(None if found is None else found[number] for found in (tokens, usd, clock)),
        )
        for number, part in enumerate(parts)
    )


def marked(pieces: Sequence[Piece]) -> tuple[MarkedFile, ...]:
    """The files of which some lines are parts."""
    return tuple(
        MarkedFile(piece.path, tuple((one.part, one.present.decode("utf-8", "replace")) for one in piece.segments))
        for piece in pieces
        if isinstance(piece, Lines)
    )


def together(record: Record, parts: Sequence[Part]) -> tuple[Together, ...]:
    """Pairs among the strongest five parts that are shown to act together."""
    if len(record.pairs) < 2:
        return ()
    strongest = np.argsort(-record.standing.e)[:STRONGEST].tolist()
    tasks = np.array([pair.task for pair in record.pairs])
    means = np.array([sum(pair.scores) / 2 for pair in record.pairs])
    level = np.array([means[tasks == task].mean() for task in tasks])
    found = interactions(
        _signs(record.pairs), np.array(record.weights) * (means - level), strongest, record.standing.alpha
    )
    return tuple(Together(parts[one.first].name, parts[one.second].name, one.estimate) for one in found)


def _answer(standing: Tally, number: int) -> Answer:
    if standing.direction[number]:
        return "helps" if standing.direction[number] > 0 else "harms"
    return "no effect" if standing.bounded[number].all() else "cannot tell"


def _measured(record: Record, of: Callable[[Run], float | None], *, scores: bool = False) -> list[Effect] | None:
    """What each part adds to the score, or to a cost; None if too few runs say."""
    rows: list[tuple[PairRun, float]] = []
    for pair, weight in zip(record.pairs, record.weights, strict=True):
        assert pair.runs is not None
        first, second = pair.scores if scores else (of(pair.runs[0]), of(pair.runs[1]))
        if first is not None and second is not None:
            rows.append((pair, weight * (first - second)))
    return estimates(_signs([pair for pair, _ in rows]), np.array([value for _, value in rows])) if rows else None


def _signs(pairs: Sequence[PairRun]) -> Array:
    return np.array([pair.signs for pair in pairs], dtype=float)


def _known(measured: float | None, claimed: float | None) -> float | None:
    return claimed if measured is None else measured


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
