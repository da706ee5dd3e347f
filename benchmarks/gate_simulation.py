"""Simulated comparisons of two arms, decided by the gate's own code; `gate_errors.py` counts the verdicts.

Rounds are drawn until `gate.evidence.decision.decide` says that no round may change the answer, with the watch list, as
`gate run` does it. Many comparisons advance together, as rows of one array, and one pass answers both questions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.checks import WATCH_FROM, WATCH_ROUNDS, watch_list, worse_units
from steelyard.gate.evidence.decision import UNDECIDED, VERDICTS, decide, other_question
from steelyard.gate.evidence.observed import Failures, Observed, Stored
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.noise.rates import terminal_bench

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
    checks: int = CHECKS
    """Checks of each task."""
    flaky_tasks: int = 0
    """Tasks at the start of the suite whose runs fail whole half of the time; the others never do."""
    flaky_checks: int = 0
    """Checks at the start of the suite with the pass rate .8; the others always pass."""
    unlike: bool = False
    """Whether judges scatter ten times as much on a quarter of the tasks."""
    real: str | None = None
    """Pairs of real agents: `same`, a range of points such as `8…12`, or `broken`, one task of the same agent."""
    lost: float = 0.0
    """Share of the baseline's runs of the second round that fail for no reason of its own."""
    drift: float = 0.0
    """How far a stored baseline has shifted since, in pass rate."""

    @property
    def judged(self) -> bool:
        return bool(self.judge_sd or self.judge_gain)

    def rates(self, rng: np.random.Generator, count: int) -> Array:
        """Pass rates of both arms: arm × comparison × task × check."""
        if self.real is not None:
            return real_rates(self.real, self.tasks, count, rng)[..., None]
        shape = (count, self.tasks, self.checks)
        before = rng.beta(1.6, 0.4, shape) if self.rate == "mixed" else np.full(shape, _number(self.rate))
        if self.rate == "tau":
            before = rng.beta(*TAU, shape)
        if self.flaky_checks:
            before.reshape(count, -1)[:, : self.flaky_checks] = 0.8
        after = np.clip(before + self.gain, 0.0, 1.0)
        if self.rate == "tau":  # so many points on average, most where there is most to gain
            after = before + self.gain * (1 - before) / (1 - before).mean(axis=(1, 2), keepdims=True)
        if self.first_check is not None:
            before[:, 0, 0], after[:, 0, 0] = self.first_check
        return np.stack([before, after])

    def failed(self, rng: np.random.Generator, rates: Array) -> Flags:
        """Which checks fail in one run of each task on each arm; the last axis is checks."""
        failed = rng.random(rates.shape) >= rates
        if self.flake:
            failed |= rng.random((*rates.shape[:-1], 1)) < self.flake
        return failed

    def deltas(self, rng: np.random.Generator, failed: Flags) -> tuple[Array, Array]:
        """Composite of the baseline and differences of the candidate, per task of one round."""
        passed = 1 - failed.mean(-1)
        if not self.judged:
            return passed[0], passed[1] - passed[0]
        sd = np.full(self.tasks, self.judge_sd)
        sd[: self.tasks // 4] *= 10 if self.unlike else 1
        judge = rng.normal(0, 1, passed.shape) * sd
        return 0.6 * passed[0] + 0.4 * judge[0], 0.6 * (passed[1] - passed[0]) + 0.4 * (judge[1] - judge[0]) + (
            self.judge_gain
        )


TAU = (1.4, 0.9)
"""Beta of pass rates like those of tau-bench: .61 on average, everything between 0 and 1."""


def _number(rate: float | str) -> float:
    return 1.0 if isinstance(rate, str) else rate


def real_rates(kind: str, tasks: int, count: int, rng: np.random.Generator) -> Array:
    """Rates of pairs of real agents on tasks drawn for each comparison: arm × comparison × task.

    `same`: one agent twice; `broken`: the same with one task that it passes in at least .8 of runs broken for good;
    `LOW…HIGH`: two agents whose true means over the drawn tasks differ by so many points.
    """
    rates = terminal_bench().pooled
    agents, all_tasks = rates.shape
    pairs = np.empty((2, count, tasks))
    low, _, high = kind.partition("…")
    place = 0
    while place < count:
        chosen = rng.permutation(all_tasks)[:tasks]
        one, other = rates[rng.integers(agents)][chosen], rates[rng.integers(agents)][chosen]
        if kind in ("same", "broken"):
            other = one.copy()
            if kind == "broken":
                able = np.flatnonzero(one >= 0.8)
                if not able.size:
                    continue
                other[rng.choice(able)] = 0.0
        elif not float(low) <= 100 * float((other - one).mean()) <= float(high):
            continue
        pairs[:, place] = one, other
        place += 1
    return pairs


class Verdicts(NamedTuple):
    """How a batch of comparisons ended."""

    codes: NDArray[np.int_]
    rounds: Array
    """Cost of each, in rounds, watched tasks included."""

    @property
    def shares(self) -> dict[str, float]:
        return {name: float((self.codes == code).mean()) for code, name in enumerate(VERDICTS)}


@dataclass
class Batch:
    """The comparisons of one world that are still open, as rows."""

    world: World
    policy: Policy
    count: int
    rng: np.random.Generator
    record: int = 0
    """Runs of each task of a stored baseline; 0 runs it side by side."""
    allowance: float = 0.0
    rates: Array = field(init=False)

    def __post_init__(self) -> None:
        world, shape = self.world, (self.count, self.world.tasks)
        self.rates = world.rates(self.rng, self.count)
        self.checks = self.rates.shape[-1]
        self.deltas, self.before = (np.zeros((*shape, self.policy.max_rounds)) for _ in range(2))
        self.full, self.failures = (np.zeros((2, *shape, self.checks)) for _ in range(2))
        self.rounds = np.zeros((2, *shape, self.checks))
        self.done = 0
        if self.record:
            self._recorded()

    def _recorded(self) -> None:
        """Runs of the baseline on record; then it shifts."""
        earlier = np.clip(self.rates[0] - self.world.drift, 0.0, 1.0)
        lost = self.rng.binomial(self.record, 1 - earlier).astype(float)
        self.full[0], self.failures[0], self.rounds[0] = lost, lost, self.record

    def play(self) -> None:
        """One round of all tasks on both arms, or on the candidate against a record."""
        failed = self.world.failed(self.rng, self.rates)
        if self.world.flaky_tasks:
            whole = self.rng.random((2, *self.rates.shape[1:3])) < 0.5
            failed[:, :, : self.world.flaky_tasks] |= whole[:, :, : self.world.flaky_tasks, None]
        if self.world.lost and self.done == 1:
            failed[0] |= self.rng.random((*failed.shape[1:3], 1)) < self.world.lost
        self.before[..., self.done], self.deltas[..., self.done] = self.world.deltas(self.rng, failed)
        self.done += 1
        for arm in (1,) if self.record else (0, 1):
            self.full[arm] += failed[arm]
            self.failures[arm] += failed[arm]
            self.rounds[arm] += 1

    def watch(self) -> Array:
        """Rounds of their own for the tasks on the watch list; returns the cost in full rounds."""
        worse = worse_units(self.observed()).checks
        assert worse is not None
        listed = watch_list(worse, np.repeat(np.arange(self.world.tasks), self.checks), self.world.tasks)
        places = np.nonzero(listed)
        rates = self.rates[(slice(None), *places)]
        for _ in range(WATCH_ROUNDS):
            failed = self.world.failed(self.rng, rates)
            for arm in (1,) if self.record else (0, 1):
                self.failures[(arm, *places)] += failed[arm]
                self.rounds[(arm, *places)] += 1
        return WATCH_ROUNDS * listed.sum(-1) / self.world.tasks

    def observed(self) -> Observed:
        deltas, before = self.deltas[..., : self.done], self.before[..., : self.done]
        stored = None
        if self.record:
            share = 1 - self.full[0].mean(-1) / self.record
            deltas, before = before + deltas - share[..., None], None
            spread = share * (1 - share) * self.record / (self.record - 1)
            stored = Stored(spread, np.full(spread.shape, float(self.record)), self.allowance)
        if not self.world.named_checks:
            return Observed(deltas, None, self.world.judged, before, stored)
        parts = [values.reshape(len(values), -1) for values in (*self.full, *self.failures, *self.rounds)]
        failures = Failures(*parts, (self.record or self.done, self.done))
        return Observed(deltas, failures, self.world.judged, before, stored)

    def keep(self, rows: Flags) -> None:
        if rows.all():
            return
        self.deltas, self.before = self.deltas[rows], self.before[rows]
        self.rates, self.full, self.failures, self.rounds = (
            values[:, rows] for values in (self.rates, self.full, self.failures, self.rounds)
        )


def adaptive(
    world: World, count: int, rng: np.random.Generator, *, record: int = 0, allowance: float = 0.0
) -> dict[str, Verdicts]:
    """Rounds until decided, for both questions; against a stored baseline of `record` runs a task if there is one."""
    policy = Policy("adaptive")
    results = {name: Verdicts(np.full(count, UNDECIDED), np.zeros(count)) for name in ("better", "safe")}
    batch, rows, cost = Batch(world, policy, count, rng, record, allowance), np.arange(count), np.zeros(count)
    ended = {name: np.zeros(count, dtype=bool) for name in results}
    while batch.done < policy.max_rounds and len(rows):
        batch.play()
        cost[rows] += 1
        if batch.done >= WATCH_FROM and world.named_checks:
            cost[rows] += batch.watch()
        if batch.done < policy.min_rounds:
            continue
        decision = decide(batch.observed(), policy)
        last = batch.done == policy.max_rounds
        for name, (code, going) in (
            ("better", (decision.code, decision.open)),
            ("safe", other_question(decision, "safe")),
        ):
            ends = (~going | last) & ~ended[name][rows]
            results[name].codes[rows[ends]], results[name].rounds[rows[ends]] = code[ends], cost[rows[ends]]
            ended[name][rows[ends]] = True
        going = ~(ended["better"][rows] & ended["safe"][rows])
        batch.keep(going)
        rows = rows[going]
    return results


def fixed(world: World, rounds: int, count: int, rng: np.random.Generator) -> Verdicts:
    """A number of rounds fixed beforehand; both questions have the same answer."""
    policy = Policy("evidence", max_rounds=rounds)
    batch = Batch(world, policy, count, rng)
    for _ in range(rounds):
        batch.play()
    return Verdicts(decide(batch.observed(), policy).code, np.full(count, float(rounds)))
