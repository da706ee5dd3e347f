"""Which tasks have become worse, task by task (docs/scoring.md §3.5). Pure.

A task's interval uses a variance moderated across tasks, as `decision` does; p of a drop is corrected by Holm; e_drop
is the mean of the 2×2 e-values of its checks, which is an e-value too. The flake rate is the share of runs that differ
from the usual result of their side, averaged over checks and sides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.decision import Decision, Rules, moderated, status_levels
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.evidence.result import Status, TaskEvidence
from steelyard.gate.evidence.rounds import Rounds
from steelyard.stats.multiple import holm
from steelyard.stats.paired import Array
from steelyard.stats.sequential import pass_rate_evidence

_Numbers = list[float | None]


def task_evidence(rounds: Rounds, decision: Decision, policy: Policy) -> tuple[TaskEvidence, ...]:
    """One entry per task, in the order of the rounds."""
    deltas = rounds.observed.deltas
    means = deltas.mean(axis=1)
    lows, highs, drops = _intervals(deltas)
    e_drops, flakes = _by_check(rounds)
    statuses, worst = _statuses(rounds, decision, Rules.of(policy))
    return tuple(
        TaskEvidence(
            task=task,
            delta=float(means[place]),
            low=lows[place],
            high=highs[place],
            p_drop_holm=drops[place],
            e_drop=e_drops[place],
            flake_rate=flakes[place],
            status=statuses[place],
            worst_check=worst[place],
        )
        for place, task in enumerate(rounds.tasks)
    )


def _intervals(deltas: Array) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Low ends, high ends and Holm-corrected p of a drop; None after a single round."""
    from scipy.special import stdtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]

    tasks, rounds = deltas.shape
    nothing: _Numbers = [None] * tasks
    if rounds < 2:
        return nothing, nothing, nothing
    se, df = moderated(deltas)
    known = se > 0
    means, reach = deltas.mean(axis=1), float(stdtrit(df, 0.975)) * se
    p: Array = np.where(known, stdtr(df, means / np.where(known, se, 1.0)), 1.0)
    lows, highs = means - reach, means + reach
    return _listed(lows, known), _listed(highs, known), holm(p.tolist())


def _listed(values: Array, known: NDArray[np.bool_]) -> _Numbers:
    return [value if ok else None for value, ok in zip(values.tolist(), known.tolist(), strict=True)]


def _by_check(rounds: Rounds) -> tuple[_Numbers, _Numbers]:
    """The e-value of a lower pass rate and the flake rate, per task; None without named checks or a second round."""
    tasks = len(rounds.tasks)
    nothing: _Numbers = [None] * tasks
    if not rounds.checks or rounds.count < 2:
        return nothing, nothing
    task_of = np.array([task for task, _ in rounds.checks])
    counts = np.bincount(task_of, minlength=tasks)
    e_values = pass_rate_evidence(rounds.passes_before, rounds.passes_after)
    shares = np.stack([rounds.passes_before.mean(axis=1), rounds.passes_after.mean(axis=1)])
    flakes = np.minimum(shares, 1 - shares).mean(axis=0)
    means = [
        np.bincount(task_of, weights=values, minlength=tasks) / np.maximum(counts, 1) for values in (e_values, flakes)
    ]
    return _listed(means[0], counts > 0), _listed(means[1], counts > 0)


def _statuses(rounds: Rounds, decision: Decision, rules: Rules) -> tuple[list[Status], list[str | None]]:
    tasks = len(rounds.tasks)
    suspect, confirmed = np.zeros(tasks, dtype=bool), np.zeros(tasks, dtype=bool)
    worst: list[str | None] = [None] * tasks
    if decision.worse_checks is not None:
        task_of = np.array([task for task, _ in rounds.checks])
        levels = status_levels(rules, watched=True)
        np.logical_or.at(suspect, task_of, decision.worse_checks < levels.suspect)
        np.logical_or.at(confirmed, task_of, decision.worse_checks < levels.confirmed)
        for place in np.argsort(-decision.worse_checks, kind="stable"):  # the worst one of a task comes last
            task, name = rounds.checks[int(place)]
            if suspect[task] and name:
                worst[task] = name
    if decision.worse_tasks is not None:
        levels = status_levels(rules, watched=False)
        suspect |= decision.worse_tasks < levels.suspect
        confirmed |= decision.worse_tasks < levels.confirmed
    statuses: list[Status] = [
        "confirmed" if shown else "suspect" if doubtful else "ok"
        for shown, doubtful in zip(confirmed.tolist(), suspect.tolist(), strict=True)
    ]
    return statuses, worst
