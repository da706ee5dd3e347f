"""(parts, pairs that ran, margin) → an answer per part (docs/scoring.md §3.7). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from steelyard.gate.blame.design import task_shares, weights
from steelyard.gate.blame.effects import STRONGEST, Effect, estimates, interactions
from steelyard.gate.blame.recipe import Lines, Part
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
    files: tuple[Lines, ...] = ()
    """The text files of the candidate of which some lines are parts."""
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
    effects = _effects(record, [pair.scores for pair in record.pairs]) or [Effect(0.0, None, None)] * len(parts)
    costs = [tuple(run.cost.or_claimed(run.claims) for run in pair.runs or ()) for pair in record.pairs]
    tokens = _effects(record, [[cost.tokens for cost in pair] for pair in costs])
    usd = _effects(record, [[cost.cost_usd for cost in pair] for pair in costs])
    clock = _effects(record, [[_seconds(cost.wall_clock_ms) for cost in pair] for pair in costs])
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


def _effects(record: Record, values: Iterable[Sequence[float | None]]) -> list[Effect] | None:
    """What each part adds to what was measured of both runs of a pair; None if too few runs say."""
    rows = [
        (pair, weight * (first - second))
        for pair, weight, (first, second) in zip(record.pairs, record.weights, values, strict=True)
        if first is not None and second is not None
    ]
    return estimates(_signs([pair for pair, _ in rows]), np.array([value for _, value in rows])) if rows else None


def _signs(pairs: Sequence[PairRun]) -> Array:
    return np.array([pair.signs for pair in pairs], dtype=float)


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
