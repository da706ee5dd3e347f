"""Comparisons drawn from the runs of one configuration, decided by the real code. Pure; the generator is an argument.

A round of a drawn comparison takes two different runs of every task, one for each side. The delta of such a pair is the
one of a real round (`evidence.rounds.run_delta`), so the spread of a drawn round mean is that of a real one:

    Var(delta) = E[(x_i − x_j)²] over i ≠ j = 2·s²,  s² the variance of the task's runs

`adaptive` looks after every round and keeps the watch list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.checks import WATCH_FROM, WATCH_ROUNDS, watch_list, worse_units
from steelyard.gate.evidence.decision import UNDECIDED, VERDICTS, decide
from steelyard.gate.evidence.observed import Failures, Observed
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.evidence.rounds import check_names, check_passed, run_delta
from steelyard.gate.model import Run
from steelyard.stats.paired import Array

_MOST_PAIRS = 1_000_000
"""Pairs of runs whose delta is computed; of a very large suite only the first runs of each task are drawn."""

_MOST_DRAWS = 6_000_000
"""Checks and tasks drawn over all comparisons and rounds: bounds time and memory."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The runs of a suite to draw from."""

    deltas: Array
    """Tasks × runs × runs: the delta if the first run were the baseline's and the second the candidate's."""
    sizes: NDArray[np.intp]
    """Runs of each task; the rest of the array is padding."""
    failed: Array
    """Checks × runs: 1 where a check failed."""
    task_of: NDArray[np.intp]
    """The task of each check."""
    judged: bool
    """Whether a task can get worse without a named check."""

    @property
    def round_sd(self) -> float:
        """Standard deviation of the mean delta per task in one round."""
        squares = (self.deltas**2).sum(axis=(1, 2)) / np.maximum(self.sizes * (self.sizes - 1), 1)
        return float(math.sqrt(squares.sum()) / max(1, len(self.sizes)))


def pool(tasks: Sequence[Sequence[Run]]) -> Pool:
    """The pool of a suite: the runs of each task, in any order."""
    most = max(2, int(math.sqrt(_MOST_PAIRS / max(1, len(tasks)))))
    kept = [list(runs[:most]) for runs in tasks]
    width = max((len(runs) for runs in kept), default=1)
    deltas = np.zeros((len(kept), width, width))
    failed: list[list[float]] = []
    task_of: list[int] = []
    judged = False
    for number, runs in enumerate(kept):
        uses_judge = all(run.judge is not None for run in runs)
        for i, one in enumerate(runs):
            for j in range(i):
                deltas[number, i, j] = run_delta(one, runs[j], judged=uses_judge)
                # With the sides exchanged a delta only changes its sign.
                deltas[number, j, i] = -deltas[number, i, j]
        names = tuple(check_names(runs))
        judged |= uses_judge or not names
        for name in names:
            failed.append([1 - check_passed(run, name) for run in runs] + [0.0] * (width - len(runs)))
            task_of.append(number)
    sizes = np.array([len(runs) for runs in kept], dtype=np.intp)
    return Pool(deltas, sizes, np.array(failed).reshape(-1, width), np.array(task_of, dtype=np.intp), judged)


def shares(pool: Pool, policy: Policy, rounds: int, count: int, seed: int) -> dict[str, float]:
    """Verdict → its share of `count` drawn comparisons, fewer of a very large suite.

    Under `adaptive` they take the rounds that the policy says, else `rounds`.
    """
    last = policy.max_rounds if policy.adaptive else rounds
    size = max(1, len(pool.sizes) + len(pool.task_of))
    comparisons = int(np.clip(_MOST_DRAWS // (size * last), min(20, count), count))
    codes = _codes(pool, policy, last, comparisons, np.random.default_rng(seed))
    return {name: float((codes == code).mean()) for code, name in enumerate(VERDICTS)}


def _codes(pool: Pool, policy: Policy, last: int, count: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """The verdict of each drawn comparison, after `last` rounds at most."""
    tasks, checks = len(pool.sizes), len(pool.task_of)
    deltas = np.zeros((count, tasks, last))
    full = np.zeros((2, count, checks))
    before, after, own = (np.zeros((count, checks)) for _ in range(3))
    codes = np.full(count, UNDECIDED)
    active = np.arange(count)

    def observed(done: int) -> Observed:
        rows = own[active]
        counts = full[0][active], full[1][active], before[active], after[active]
        failures = Failures(*counts, rows, rows, (done, done)) if checks else None
        return Observed(deltas[active, :, :done], failures, pool.judged)

    for done in range(1, last + 1):
        deltas[active, :, done - 1], failed = _draw(pool, len(active), rng)
        full[:, active] += np.stack(failed)
        before[active] += failed[0]
        after[active] += failed[1]
        own[active] += 1
        if policy.adaptive and checks and done >= WATCH_FROM:
            worse = worse_units(observed(done)).checks
            assert worse is not None
            watched = watch_list(worse, pool.task_of, tasks)[:, pool.task_of]
            for _ in range(WATCH_ROUNDS):
                _, failed = _draw(pool, len(active), rng)
                before[active] += failed[0] * watched
                after[active] += failed[1] * watched
                own[active] += watched
        # Fixed rounds are looked at once, at their end.
        if done < last and (not policy.adaptive or done < policy.min_rounds):
            continue
        decision = decide(observed(done), policy)
        codes[active] = decision.code
        active = active[decision.open]
        if not active.size:
            break
    return codes


def _draw(pool: Pool, count: int, rng: np.random.Generator) -> tuple[Array, tuple[Array, Array]]:
    """Deltas (comparisons × tasks) and failures of both sides (comparisons × checks) of one round."""
    size = pool.sizes
    # Two different runs of each task, every ordered pair equally likely.
    one = (rng.random((count, len(size))) * size).astype(np.intp)
    step = 1 + (rng.random((count, len(size))) * np.maximum(size - 1, 1)).astype(np.intp)
    other = np.where(size > 1, (one + step) % size, one)
    numbers = np.arange(len(size))
    values = pool.deltas[numbers, one, other]
    checks = np.arange(len(pool.task_of))
    return values, (
        pool.failed[checks, one[:, pool.task_of]],
        pool.failed[checks, other[:, pool.task_of]],
    )
