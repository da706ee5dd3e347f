"""Which checks and tasks have become worse, or better (docs/scoring.md §3.5). Pure, on arrays.

Checks are tested by `stats.failures` where logs name them, under two priors of failure rates, a Beta and one of any
shape: the first is enough for a suspicion, both must agree before a check is called worse. Else, and where a judge
takes part, each task is tested on its own runs: they change sides (`stats.exchange`), which needs nothing from other
tasks, so one that varies more than the rest is not taken for one that fell. Both give the number of units that would
look as bad by chance:

    unsettled   below .5 for checks under `adaptive`: blocks `neutral`, and rounds go on, because its own may settle it
    suspect     below .05: blocks `improved` too
    worse       below α/4/√looks, looks = R_max − R_min + 1 under `adaptive`, else 1
    better      worse with the arms exchanged
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.observed import Failures, Flags, Observed
from steelyard.gate.evidence.policy import Policy
from steelyard.stats.exchange import Exchanged, expected_as_low, lower_by_chance, lower_by_sign
from steelyard.stats.failures import (
    Counts,
    discounted,
    failure_mixture,
    failure_prior,
    worse_by_chance,
    worse_in_mixture,
)
from steelyard.stats.paired import Array

SUSPECT_LEVEL = 0.05
"""A check or task is suspect when fewer than this many would look as bad by chance. Suspects block good verdicts."""

UNSETTLED_LEVEL = 0.5
"""A check below this keeps an adaptive run open, and from `neutral`: rounds of its own clear or confirm it."""

WATCHED_TASKS = 3
"""Tasks that are watched at a time."""

WATCH_ROUNDS = 2
"""Rounds of its own that a watched task gets after each full round."""

WATCH_FROM = 3
"""The first round after which tasks are watched: before it, one failure looks like any other."""

WATCH_SHARE = 0.15
"""A task is watched while fewer than this many checks per task of the suite would look as bad as its worst one by
chance. Two rounds of one task cost 2/T of a round, so a larger suite can afford to clear milder suspicions."""


class Units(NamedTuple):
    """Per check and per task, how many units are expected to look as bad by chance; None where they are not tested."""

    checks: Array | None
    """Under the Beta prior, for suspicions."""
    claims: Array | None
    """Per check, under the less favourable of the two priors."""
    tasks: Array | None


class Marked(NamedTuple):
    """Whether any check or task of a comparison is worth another look, suspect, or shown to be worse."""

    unsettled: Flags
    suspect: Flags
    confirmed: Flags


def confirmed_level(policy: Policy) -> float:
    """How few units may be expected to look as bad by chance before one of them is called worse."""
    return policy.alpha / 4 / math.sqrt(policy.looks)


def marked(units: Units, shape: tuple[int, ...], policy: Policy) -> Marked:
    """What the worst units of each comparison are."""
    # inf: what was not tested raises no suspicion.
    check, claim, task = (np.full(shape, np.inf) if part is None else part.min(axis=-1) for part in units)
    suspect, confirmed = (check < SUSPECT_LEVEL) | (task < SUSPECT_LEVEL), confirmed_level(policy)
    unsettled = suspect | ((check < UNSETTLED_LEVEL) & policy.adaptive)
    return Marked(unsettled, suspect, (claim < confirmed) | (task < confirmed))


def moved_units(observed: Observed) -> tuple[Units, Units]:
    """The same for a drop and for a rise."""
    mixture = None if observed.failures is None else failure_mixture(*_counts(observed.failures))
    return worse_units(observed, mixture), worse_units(observed.exchanged(), mixture)


def worse_units(observed: Observed, mixture: Array | None = None) -> Units:
    """Per check and per task, how many units are expected to look as bad by chance.

    Args:
        observed: The rounds.
        mixture: The prior of any shape, if it is known: it is the same with the arms exchanged.
    """
    failures = observed.failures
    checks = 0 if failures is None else failures.before.shape[-1]
    # A judge's score can fall without any check failing.
    by_task = not checks or observed.judged
    # All units that are tested share one correction for their number.
    units = checks + (observed.tasks if by_task else 0)
    suspicions, claims = None, None
    if failures is not None and checks:
        suspicions, claims = (units * chances for chances in _check_chances(failures, observed, mixture))
    if not by_task or observed.rounds < 2:
        return Units(suspicions, claims, None)
    found = _by_own_runs(observed)
    return Units(suspicions, claims, expected_as_low(found) + checks * found.p)


def _check_chances(failures: Failures, observed: Observed, mixture: Array | None) -> tuple[Array, Array]:
    """P that a check fails as often by chance, under the Beta prior and under the less favourable one."""
    # Full rounds only: tasks are watched because they failed, so their extra rounds would bias the prior.
    prior, counts = failure_prior(failures.full_before, failures.full_rounds[0]), _counts(failures)
    weights = failure_mixture(*counts) if mixture is None else mixture
    if observed.stored is not None:
        counts = discounted(prior, counts, observed.stored.drift)
    chances = worse_by_chance(prior, *counts)
    # A Beta fitted to few checks takes the one flaky check among steady ones for a broken one.
    return chances, np.maximum(chances, worse_in_mixture(weights, *counts))


def _counts(failures: Failures) -> Counts:
    return failures.before, failures.rounds_before, failures.after, failures.rounds_after


def _by_own_runs(observed: Observed) -> Exchanged:
    """P that a task's runs are as low by chance, from its own runs alone."""
    if observed.stored is not None:
        return lower_by_sign(observed.deltas, observed.stored.variance + observed.stored.drift**2)
    if observed.before is None:
        return lower_by_sign(observed.deltas)
    return lower_by_chance(observed.before, observed.before + observed.deltas)


def watch_list(worse: Array, task_of: NDArray[np.intp], tasks: int) -> Flags:
    """Which tasks get rounds of their own next: the three with the worst check, as long as it looks worse at all.

    Args:
        worse: Expected number of checks that look as bad by chance, per check.
        task_of: Number of the task that each check belongs to.
        tasks: Number of tasks.

    Returns:
        A flag per task.
    """
    worst = np.full((*worse.shape[:-1], tasks), np.inf)
    index: Any = (..., task_of)
    # Not `worst[index] = …`, which would keep only the last check of each task.
    np.minimum.at(worst, index, worse)
    # argsort twice gives ranks; stable, so that ties follow the order of the tasks.
    place = np.argsort(np.argsort(worst, axis=-1, kind="stable"), axis=-1, kind="stable")
    return (place < WATCHED_TASKS) & (worst < WATCH_SHARE * tasks)
