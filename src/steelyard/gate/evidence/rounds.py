"""Runs of both arms as rounds of numbers (docs/scoring.md §3.5). Pure.

The delta of a task in a round is base(candidate) − base(baseline) + a, where `base` is the composite before cost and

    a = (adj(baseline → candidate) − adj(candidate → baseline)) / 2

with the costs of that round alone. Unlike the composite of §3.1 it is not clamped, and it is the negative of itself
with the arms exchanged, so a change that does nothing has mean 0 however much its cost varies: a clamp at 1, or the
ratio of two noisy costs, would show a loss that is not there (design/0022).

Against a baseline that ran earlier, the delta of a round is the difference from the mean of all its runs on record, the
cost that of their mean; how sure that mean is, and the allowance for drift, are in `Stored`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

import numpy as np

from steelyard.gate.evidence.observed import Failures, Observed, Stored
from steelyard.gate.model import UNKNOWN_COST, Cost, Run, TaskDelta, by_task
from steelyard.gate.score import adjustment, base, mean_cost
from steelyard.stats.paired import Array

_Pair = tuple[TaskDelta, Sequence[Run], Sequence[Run]]
"""A task, and its runs in the baseline and in the candidate: one per full round, or of the baseline all on record."""

_Watched = tuple[Sequence[Run], Sequence[Run]]


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
        return self.observed.rounds

    @property
    def recorded(self) -> int:
        """Runs a task on record of a stored baseline, at least; 0 if both sides ran side by side."""
        return 0 if self.observed.stored is None else int(self.observed.stored.runs.min())


def observe(
    baseline: Sequence[Run],
    candidate: Sequence[Run],
    deltas: Sequence[TaskDelta],
    watched: _Watched = ((), ()),
    drift: float | None = None,
    *,
    cost_counts: bool = True,
) -> Rounds | None:
    """The full rounds of both arms over the tasks that both have; None if there is no such round.

    Args:
        baseline: Scored runs of the baseline.
        candidate: Scored runs of the candidate.
        deltas: The compared tasks, which say where the judge counts.
        watched: Runs of watched tasks beside the full rounds, of the baseline and the candidate.
        drift: The allowance for drift if the baseline ran earlier; None if both sides ran side by side.
        cost_counts: Whether cost is part of a delta.
    """
    compared = [delta for delta in deltas if delta.delta is not None]
    pairs = _pairs(baseline, candidate, compared, stored=drift is not None)
    if not pairs:
        return None
    checks, passes = _outcomes(pairs)
    tested = {task for task, _ in checks}
    # A task without named checks can only get worse as a whole, like one that a judge scores.
    judged = len(tested) < len(pairs) or any(delta.judge == "used" for delta in compared)
    tasks = tuple(delta.task for delta in compared)
    failures = _failures(tasks, checks, passes, watched)
    return Rounds(
        tasks=tasks,
        observed=_paired(pairs, failures, judged, costed=cost_counts)
        if drift is None
        else _stored(pairs, failures, judged, drift, costed=cost_counts),
        checks=checks,
        passes_before=passes[0],
        passes_after=passes[1],
        watched=sum(map(len, watched)),
    )


def _pairs(
    baseline: Sequence[Run], candidate: Sequence[Run], compared: Sequence[TaskDelta], *, stored: bool
) -> list[_Pair]:
    """The runs of the complete rounds; of a stored baseline as many runs of each task as it has of all."""
    before, after = _by_round(baseline), _by_round(candidate)
    names = {delta.task for delta in compared}
    numbers = [n for n in sorted(after) if names <= after[n].keys() and (stored or names <= before.get(n, {}).keys())]
    if not numbers or not names:
        return []
    record = by_task(baseline) if stored else {}
    # Runs are kept as arrays without gaps, so the task with the shortest record sets their number.
    least = min(len(record[name]) for name in names) if stored else 0

    def own(task: str) -> list[Run]:
        return record[task][:least] if stored else [before[n][task] for n in numbers]

    return [(delta, own(delta.task), [after[n][delta.task] for n in numbers]) for delta in compared]


def _paired(pairs: Sequence[_Pair], failures: Failures | None, judged: bool, *, costed: bool) -> Observed:
    values = [
        [
            run_delta(one, other, judged=delta.judge == "used", costed=costed)
            for one, other in zip(before, after, strict=True)
        ]
        for delta, before, after in pairs
    ]
    own = [[_level(run, judged=delta.judge == "used") for run in before] for delta, before, _ in pairs]
    return Observed(np.array(values, dtype=float), failures, judged, np.array(own, dtype=float))


def _stored(pairs: Sequence[_Pair], failures: Failures | None, judged: bool, drift: float, *, costed: bool) -> Observed:
    deltas: list[list[float]] = []
    spread: list[float] = []
    runs: list[float] = []
    for delta, before, after in pairs:
        own = [_level(run, judged=delta.judge == "used") for run in before]
        cost = mean_cost(before) if costed else UNKNOWN_COST
        values = [_level(run, judged=delta.judge == "used") + _saving(cost, run) - fmean(own) for run in after]
        known = own if len(own) > 1 else values  # a single run on record has no spread: the candidate's stands for it
        deltas.append(values)
        spread.append(variance(known) if len(known) > 1 else 0.0)
        runs.append(float(len(own)))
    stored = Stored(np.array(spread), np.array(runs), drift)
    return Observed(np.array(deltas, dtype=float), failures, judged, stored=stored)


def _by_round(runs: Iterable[Run]) -> dict[int, dict[str, Run]]:
    by_round: dict[int, dict[str, Run]] = {}
    for run in runs:
        by_round.setdefault(run.round, {})[run.task] = run
    return by_round


def run_delta(before: Run, after: Run, *, judged: bool, costed: bool = True) -> float:
    """The delta of a task in one round; `costed` says whether cost counts."""
    change = _level(after, judged=judged) - _level(before, judged=judged)
    return change + _saving(before.cost, after) if costed else change


def _level(run: Run, *, judged: bool) -> float:
    """A run before cost counts; a composite computed elsewhere is used as it is."""
    return base(run, judged=judged) if run.composite is None else run.composite


def _saving(before: Cost, after: Run) -> float:
    """What cost adds to the delta, the same for both directions."""
    if after.composite is not None or before is UNKNOWN_COST or after.cost is UNKNOWN_COST:
        return 0.0
    return (adjustment(before, after.cost).value - adjustment(after.cost, before).value) / 2


def _outcomes(pairs: Sequence[_Pair]) -> tuple[tuple[tuple[int, str], ...], tuple[Array, Array]]:
    """The checks that every run of a task names, and whether each passed, per run."""
    checks: list[tuple[int, str]] = []
    before: list[list[float]] = []
    after: list[list[float]] = []
    for place, (_, base_runs, cand_runs) in enumerate(pairs):
        for name in check_names([*base_runs, *cand_runs]):
            checks.append((place, name))
            before.append([check_passed(run, name) for run in base_runs])
            after.append([check_passed(run, name) for run in cand_runs])
    sizes = (len(pairs[0][1]), len(pairs[0][2]))
    sides = zip((before, after), sizes, strict=True)
    one, other = (np.array(rows, dtype=float).reshape(len(checks), size) for rows, size in sides)
    return tuple(checks), (one, other)


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
    tasks: Sequence[str], checks: Sequence[tuple[int, str]], passes: tuple[Array, Array], watched: _Watched
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
    (one, other), (before, after), (early, late) = full, total, own
    return Failures(one, other, before, after, early, late, (passes[0].shape[-1], passes[1].shape[-1]))
