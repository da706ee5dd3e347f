"""Simulated comparisons of two arms, decided by the gate's own code; `gate_errors.py` counts the verdicts.

Rounds are drawn until `gate.evidence.decision.decide` has an answer, with the watch list, as `gate run` does it. Many
comparisons advance together, as rows of one array, and one pass answers both questions: they differ only in when
`neutral` may be said, and `safe` says it first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.decision import (
    UNDECIDED,
    VERDICTS,
    WATCH_FROM,
    WATCH_ROUNDS,
    Failures,
    Observed,
    Rules,
    decide,
    other_question,
    watch_list,
    worse_units,
)

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

CHECKS = 4
"""Checks of each task."""


@dataclass(frozen=True)
class World:
    """What the two arms are like."""

    tasks: int
    rate: float | str = 0.9
    """Pass rate of every check, or `mixed`: Beta(1.6, .4), drawn per check."""
    flake: float = 0.0
    """Chance that a run fails all its checks, whatever the agent did."""
    judge_sd: float = 0.0
    gain: float = 0.0
    """Added to the candidate's pass rates."""
    judge_gain: float = 0.0
    """Added to the candidate's composite through the judge."""
    first_check: tuple[float, float] | None = None
    """Pass rates of one check under baseline and candidate."""
    named_checks: bool = True
    """Whether the logs say which check failed."""

    @property
    def judged(self) -> bool:
        return bool(self.judge_sd or self.judge_gain)

    def rates(self, rng: np.random.Generator, count: int) -> Array:
        """Pass rates of both arms: arm × comparison × task × check."""
        shape = (count, self.tasks, CHECKS)
        before = rng.beta(1.6, 0.4, shape) if self.rate == "mixed" else np.full(shape, float(self.rate))
        after = np.clip(before + self.gain, 0.0, 1.0)
        if self.first_check is not None:
            before[:, 0, 0], after[:, 0, 0] = self.first_check
        return np.stack([before, after])

    def failed(self, rng: np.random.Generator, rates: Array) -> Flags:
        """Which checks fail in one run of each task on each arm; the last axis is checks."""
        failed = rng.random(rates.shape) >= rates
        if self.flake:
            failed |= rng.random((*rates.shape[:-1], 1)) < self.flake
        return failed

    def deltas(self, rng: np.random.Generator, failed: Flags) -> Array:
        """Composite differences per task of one round."""
        lost = failed.sum(-1) / CHECKS
        objective = lost[0] - lost[1]
        if not self.judged:
            return objective
        noise = rng.normal(0, self.judge_sd, lost.shape)
        return 0.6 * objective + 0.4 * (noise[1] - noise[0]) + self.judge_gain


class Verdicts(NamedTuple):
    """How a batch of comparisons ended."""

    codes: NDArray[np.int_]
    rounds: Array
    """Cost of each, in rounds, watched tasks included."""

    @property
    def shares(self) -> dict[str, float]:
        return {name: float((self.codes == code).mean()) for code, name in enumerate(VERDICTS)}


class Batch:
    """The comparisons of one world that are still undecided, as rows."""

    def __init__(self, world: World, rules: Rules, count: int, rng: np.random.Generator) -> None:
        self.world, self.rng = world, rng
        self.rates = world.rates(rng, count)
        self.deltas = np.zeros((count, world.tasks, rules.most_rounds))
        shape = (count, world.tasks, CHECKS)
        self.full, self.rounds, self.failures = np.zeros(shape), np.zeros(shape), np.zeros((2, *shape))
        self.done = 0

    def play(self) -> None:
        """One round of all tasks on both arms."""
        failed = self.world.failed(self.rng, self.rates)
        self.deltas[..., self.done] = self.world.deltas(self.rng, failed)
        self.done += 1
        self.full += failed[0]
        self.failures += failed
        self.rounds += 1

    def watch(self) -> Array:
        """Rounds of their own for the tasks on the watch list; returns the cost in full rounds."""
        worse, _ = worse_units(self.observed())
        assert worse is not None
        listed = watch_list(worse, np.repeat(np.arange(self.world.tasks), CHECKS), self.world.tasks)
        places = np.nonzero(listed)
        rates = self.rates[(slice(None), *places)]
        for _ in range(WATCH_ROUNDS):
            self.failures[(slice(None), *places)] += self.world.failed(self.rng, rates)
        self.rounds[places] += WATCH_ROUNDS
        return WATCH_ROUNDS * listed.sum(-1) / self.world.tasks

    def observed(self) -> Observed:
        deltas = self.deltas[..., : self.done]
        if not self.world.named_checks:
            return Observed(deltas, None, self.world.judged)
        full, before, after, rounds = (
            values.reshape(len(values), -1) for values in (self.full, *self.failures, self.rounds)
        )
        return Observed(deltas, Failures(full, before, after, rounds, rounds), self.world.judged)

    def keep(self, rows: Flags) -> None:
        if rows.all():
            return
        self.deltas, self.full, self.rounds = self.deltas[rows], self.full[rows], self.rounds[rows]
        self.rates, self.failures = self.rates[:, rows], self.failures[:, rows]


def adaptive(world: World, count: int, rng: np.random.Generator) -> dict[str, Verdicts]:
    """Rounds until decided, for both questions."""
    better, safe = Rules(question="better"), Rules(question="safe")
    results = {name: Verdicts(np.full(count, UNDECIDED), np.zeros(count)) for name in ("better", "safe")}
    batch, open_, cost = Batch(world, better, count, rng), np.arange(count), np.zeros(count)
    while batch.done < better.most_rounds and len(open_):
        batch.play()
        cost[open_] += 1
        if batch.done >= WATCH_FROM and world.named_checks:
            cost[open_] += batch.watch()
        if batch.done < better.least_rounds:
            continue
        decision = decide(batch.observed(), better)
        for name, codes in (("better", decision.code), ("safe", other_question(decision, safe))):
            record(results[name], open_, codes, cost)
        going = decision.code == UNDECIDED
        batch.keep(going)
        open_ = open_[going]
    for verdicts in results.values():
        late = verdicts.codes == UNDECIDED
        verdicts.rounds[late] = cost[late]
    return results


def record(verdicts: Verdicts, rows: NDArray[np.intp], codes: NDArray[np.int_], cost: Array) -> None:
    """Note the comparisons that this look decides and no earlier one did."""
    new = (codes != UNDECIDED) & (verdicts.codes[rows] == UNDECIDED)
    verdicts.codes[rows[new]], verdicts.rounds[rows[new]] = codes[new], cost[rows[new]]


def fixed(world: World, rounds: int, count: int, rng: np.random.Generator) -> Verdicts:
    """A number of rounds fixed beforehand; both questions have the same answer."""
    rules = Rules(adaptive=False, most_rounds=rounds)
    batch = Batch(world, rules, count, rng)
    for _ in range(rounds):
        batch.play()
    return Verdicts(decide(batch.observed(), rules).code, np.full(count, float(rounds)))
