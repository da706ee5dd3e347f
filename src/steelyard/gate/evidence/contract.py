"""How often the contract rule (docs/scoring.md §3.2) is fooled by chance. Pure; the seed is an argument.

Both sides of a comparison that changes nothing are drawn from the same suite: each check passes with its own rate, each
judge scatters with its own spread, over a number of rounds. The rule of §3.2 decides on the means, as in `compare`:

    hard regression   passes of the candidate < passes of the baseline, or d < −regression_composite_drop
    regressed         at least one;   improved: none, and Σ d > min_composite_gain;   neutral: everything else

with d = (0.6·Δobjective + w·Δjudge)/(0.6 + w), rounded to 6 decimals. Costs are taken as equal. A test holds this to
`compare` on the same runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.variation import TaskVariation
from steelyard.gate.model import Thresholds
from steelyard.gate.score import OBJECTIVE_WEIGHT
from steelyard.outcome import DECIMALS
from steelyard.stats.paired import Array

SEED = 20261116
"""Drawn once; the same suite always gives the same share."""

_DRAWS = 400_000
"""Checks drawn on each side: bounds time and memory."""
_FEWEST, _MOST = 100, 2000
"""Comparisons that are simulated, whatever the size of the suite."""


@dataclass(frozen=True, slots=True)
class ContractShares:
    """What the contract rule says about a change that does nothing."""

    improved: float
    neutral: float
    regressed: float
    rounds: int
    comparisons: int
    """Simulated comparisons; 0 if nothing can vary, which needs no simulation."""
    seed: int


def contract_shares(
    tasks: Sequence[TaskVariation], rounds: int, thresholds: Thresholds | None = None, *, seed: int = SEED
) -> ContractShares:
    """The share of each verdict over simulated comparisons of a suite with itself."""
    limits = thresholds or Thresholds()
    varying = [task for task in tasks if task.varies]
    if not varying or rounds < 1:
        return ContractShares(0.0, 1.0, 0.0, rounds, 0, seed)
    # One more than its checks: the noise of a judge or a composite is drawn as well.
    size = sum(len(task.pass_rates) + 1 for task in varying)
    comparisons = int(np.clip(_DRAWS // size, _FEWEST, _MOST))
    rng = np.random.default_rng(seed)
    net, standing = np.zeros(comparisons), np.arange(comparisons)
    for block in _blocks(varying):
        passes, deltas = _drawn(block, rounds, len(standing), rng)
        # Rounded task by task, and below as a sum, as `compare` does.
        net[standing] += np.round(deltas, DECIMALS).sum(axis=-1)
        standing = standing[~hard_regressions(passes, deltas, limits)]
        if not standing.size:  # one hard regression settles a comparison: nothing more is drawn for it
            break
    gained = np.round(net[standing], DECIMALS) > round(limits.min_composite_gain, DECIMALS)
    improved, passed = float(gained.sum()) / comparisons, len(standing) / comparisons
    return ContractShares(improved, passed - improved, 1 - passed, rounds, comparisons, seed)


def hard_regressions(passes: Array, deltas: Array, thresholds: Thresholds) -> NDArray[np.bool_]:
    """Whether any task regresses, from comparisons × tasks: differences of mean passes, and of mean composites."""
    worse = np.round(deltas, DECIMALS) < -round(thresholds.regression_composite_drop, DECIMALS)
    if thresholds.objective_drop_is_regression:
        worse |= np.round(passes, DECIMALS) < 0
    return np.asarray(worse.any(axis=-1))


def _blocks(tasks: Sequence[TaskVariation]) -> Iterator[Sequence[TaskVariation]]:
    """The tasks in blocks that are drawn together, small ones first: most comparisons are settled by the first few."""
    start, size = 0, 8
    while start < len(tasks):
        yield tasks[start : start + size]
        start, size = start + size, min(2 * size, 250)


def fooled(shares: ContractShares) -> str:
    """The sentence for a report."""
    wrong = [
        f"{verdict} in {_share(share)}"
        for verdict, share in (("regressed", shares.regressed), ("improved", shares.improved))
        if share >= 0.005 or verdict == "regressed"
    ]
    return (
        "On a suite that varies like this one, the contract rule calls a change that does nothing "
        f"{' and '.join(wrong)} of comparisons; --policy adaptive is not fooled."
    )


def _share(share: float) -> str:
    if share > 0.995:
        return "more than 99%"
    return "fewer than 1%" if share < 0.005 else f"{share:.0%}"


def _drawn(tasks: Sequence[TaskVariation], rounds: int, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Differences of mean passes and of mean composites, comparisons × tasks."""
    passes = _pass_differences(tasks, rounds, count, rng)
    totals = np.array([max(1, len(task.pass_rates)) for task in tasks])
    weights = np.array([task.judge_weight or 0.0 for task in tasks])
    spread = np.array([task.judge_sd if task.judge_weight else 0.0 for task in tasks])
    # A composite from elsewhere has no judge's spread beside it, so one draw of noise serves for both.
    elsewhere = np.array([task.composite_sd or 0.0 for task in tasks])
    # A difference of two means over as many rounds has twice the variance of one.
    noise = rng.standard_normal((count, len(tasks))) * np.sqrt(2 / rounds)
    judged = (OBJECTIVE_WEIGHT * passes / totals + weights * spread * noise) / (OBJECTIVE_WEIGHT + weights)
    return passes, judged + elsewhere * noise


def _pass_differences(tasks: Sequence[TaskVariation], rounds: int, count: int, rng: np.random.Generator) -> Array:
    # Checks that never vary pass alike on both sides and cancel.
    rates = [[rate for rate in task.pass_rates if 0 < rate < 1] for task in tasks]
    flat = np.array([rate for own in rates for rate in own])
    owner = np.array([number for number, own in enumerate(rates) for _ in own], dtype=np.intp)
    passes = np.zeros((count, len(tasks)))
    if flat.size:
        differences = rng.binomial(rounds, flat, (count, flat.size)) - rng.binomial(rounds, flat, (count, flat.size))
        starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        passes[:, owner[starts]] = np.add.reduceat(differences, starts, axis=1) / rounds
    return passes
