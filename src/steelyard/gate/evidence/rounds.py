"""Runs of both arms as rounds of numbers (docs/scoring.md §3.5). Pure.

The delta of a task in a round is base(candidate) − base(baseline) + a, where `base` is the composite before cost and

    a = (adj(baseline → candidate) − adj(candidate → baseline)) / 2

with the costs of that round alone. Unlike the composite of §3.1 it is not clamped, and it is the negative of itself
with the arms exchanged, so a change that does nothing has mean 0 however much its cost varies: a clamp at 1, or the
ratio of two noisy costs, would show a loss that is not there (design/0023).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.gate.evidence.decision import Failures, Observed
from steelyard.gate.model import UNKNOWN_COST, Run, TaskDelta
from steelyard.gate.score import adjustment, base
from steelyard.stats.paired import Array

_Pair = tuple[TaskDelta, Sequence[Run], Sequence[Run]]
"""A task, and its runs in the baseline and in the candidate, one per full round."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Full rounds of both arms: every task once on each."""

    tasks: tuple[str, ...]
    observed: Observed
    checks: tuple[tuple[int, str], ...]
    """(number of the task, name of the check), in the order of the arrays below and of `observed.failures`."""
    passes_before: Array
    """Checks × rounds: 1 where the baseline passed."""
    passes_after: Array
    watched: int
    """Runs of watched tasks beside the full rounds, on both sides."""

    @property
    def count(self) -> int:
        """Number of full rounds."""
        return self.observed.deltas.shape[-1]


def observe(
    baseline: Iterable[Run],
    candidate: Iterable[Run],
    deltas: Sequence[TaskDelta],
    watched: tuple[Sequence[Run], Sequence[Run]] = ((), ()),
    *,
    cost_counts: bool = True,
) -> Rounds | None:
    """The full rounds of both arms over the tasks that both have; None if there is no such round.

    Args:
        baseline: Scored runs of the baseline.
        candidate: Scored runs of the candidate.
        deltas: The compared tasks, which say where the judge counts.
        watched: Runs of watched tasks beside the full rounds, of the baseline and the candidate.
        cost_counts: Whether cost is part of a delta.
    """
    compared = [delta for delta in deltas if delta.delta is not None]
    before, after = _by_round(baseline), _by_round(candidate)
    names = {delta.task for delta in compared}
    numbers = sorted(n for n in before.keys() & after.keys() if names <= before[n].keys() and names <= after[n].keys())
    if not numbers or not names:
        return None
    earlier, later = [before[n] for n in numbers], [after[n] for n in numbers]
    pairs: list[_Pair] = [
        (delta, [runs[delta.task] for runs in earlier], [runs[delta.task] for runs in later]) for delta in compared
    ]
    values = [
        [
            run_delta(one, other, judged=delta.judge == "used", costed=cost_counts)
            for one, other in zip(base_runs, cand_runs, strict=True)
        ]
        for delta, base_runs, cand_runs in pairs
    ]
    checks, passes = _outcomes(pairs)
    tested = {task for task, _ in checks}
    # A task without named checks can only get worse as a whole, like one that a judge scores.
    judged = len(tested) < len(pairs) or any(delta.judge == "used" for delta in compared)
    tasks = tuple(delta.task for delta in compared)
    return Rounds(
        tasks=tasks,
        observed=Observed(np.array(values, dtype=float), _failures(tasks, checks, passes, watched), judged),
        checks=checks,
        passes_before=passes[0],
        passes_after=passes[1],
        watched=sum(map(len, watched)),
    )


def _by_round(runs: Iterable[Run]) -> dict[int, dict[str, Run]]:
    by_round: dict[int, dict[str, Run]] = {}
    for run in runs:
        by_round.setdefault(run.round, {})[run.task] = run
    return by_round


def run_delta(before: Run, after: Run, *, judged: bool, costed: bool = True) -> float:
    """The delta of a task in one round; `costed` says whether cost counts."""
    if before.composite is not None and after.composite is not None:
        return after.composite - before.composite
    change = base(after, judged=judged) - base(before, judged=judged)
    if not costed or before.cost is UNKNOWN_COST or after.cost is UNKNOWN_COST:
        return change
    return change + (adjustment(before.cost, after.cost).value - adjustment(after.cost, before.cost).value) / 2


def _outcomes(pairs: Sequence[_Pair]) -> tuple[tuple[tuple[int, str], ...], tuple[Array, Array]]:
    """The checks that every run of a task names, and whether each passed, per round."""
    checks: list[tuple[int, str]] = []
    before: list[list[float]] = []
    after: list[list[float]] = []
    for place, (_, base_runs, cand_runs) in enumerate(pairs):
        for name in check_names([*base_runs, *cand_runs]):
            checks.append((place, name))
            before.append([check_passed(run, name) for run in base_runs])
            after.append([check_passed(run, name) for run in cand_runs])
    shape = (len(checks), len(pairs[0][1]))
    return tuple(checks), (np.array(before, dtype=float).reshape(shape), np.array(after, dtype=float).reshape(shape))


def check_names(runs: Sequence[Run]) -> Iterable[str]:
    """The names of a task's checks if all of its runs agree on them; one check needs no name."""
    named = runs[0].checks
    if named:
        return named if all(run.checks.keys() == named.keys() for run in runs) else ()
    for run in runs:
        if run.total != 1 or run.passed not in (0, 1):
            return ()
    return ("",)


def check_passed(run: Run, name: str) -> float:
    """1 if the check of that name passed, else 0."""
    return run.checks[name] if name else run.passed


def _failures(
    tasks: Sequence[str],
    checks: Sequence[tuple[int, str]],
    passes: tuple[Array, Array],
    watched: tuple[Sequence[Run], Sequence[Run]],
) -> Failures | None:
    if not checks:
        return None
    full = [passed.shape[-1] - passed.sum(axis=-1) for passed in passes]
    own = [np.full(len(checks), float(passed.shape[-1])) for passed in passes]
    total = [counts.copy() for counts in full]
    column = {(tasks[task], name): place for place, (task, name) in enumerate(checks)} if any(watched) else {}
    for side, runs in enumerate(watched):
        for run in runs:
            for name in run.checks or ("",):
                if (place := column.get((run.task, name))) is not None:
                    own[side][place] += 1
                    total[side][place] += 1 - check_passed(run, name)
    return Failures(full[0], total[0], total[1], own[0], own[1])
