"""Which tasks have become worse or better, task by task (docs/scoring.md §3.5). Pure.

A task's interval is a t interval of its own deltas, R − 1 df. Where they are all the same and not 0, two rounds without
a difference are added first, as Agresti and Caffo do for two proportions. A stored baseline adds its error and the
drift. p of a drop is corrected by Holm; e_drop is the mean of the 2×2 e-values of its checks, which is an e-value too.
The flake rate is the share of runs that differ from the usual result of their side, averaged over checks and sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.gate.evidence.checks import SUSPECT_LEVEL, Units, confirmed_level
from steelyard.gate.evidence.decision import Decision
from steelyard.gate.evidence.observed import Flags, Observed
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.evidence.result import Status, TaskEvidence
from steelyard.gate.evidence.rounds import Rounds
from steelyard.stats.multiple import holm
from steelyard.stats.paired import Array
from steelyard.stats.sequential import SPREAD_FLOOR, pass_rate_evidence

_Numbers = list[float | None]


def task_evidence(rounds: Rounds, decision: Decision, policy: Policy) -> tuple[TaskEvidence, ...]:
    """One entry per task, in the order of the rounds."""
    deltas = rounds.observed.deltas
    means = deltas.mean(axis=1)
    lows, highs, drops = _intervals(rounds.observed)
    e_drops, flakes = _by_check(rounds)
    down, up = (_flags(rounds, units, policy) for units in (decision.worse_units, decision.better_units))
    statuses: list[Status] = [_status(place, down, up) for place in range(len(rounds.tasks))]
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
            worst_check={"ok": None, "better": up.worst[place]}.get(statuses[place], down.worst[place]),
            fallen=tuple(down.names[place]),
        )
        for place, task in enumerate(rounds.tasks)
    )


def _intervals(observed: Observed) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Low ends, high ends and Holm-corrected p of a drop; None after a single round, or where nothing moved."""
    from scipy.special import stdtr, stdtrit

    nothing: _Numbers = [None] * observed.tasks
    if observed.rounds < 2:
        return nothing, nothing, nothing
    means, errors, df = _own(observed)
    known = errors > 0
    p: Array = np.where(known, stdtr(df, means / np.where(known, errors, 1.0)), 1.0)
    reach = stdtrit(df, 0.975) * errors
    lows, highs = np.maximum(means - reach, -1.0), np.minimum(means + reach, 1.0)
    return _listed(lows, known), _listed(highs, known), holm(p.tolist())


def _own(observed: Observed) -> tuple[Array, Array, Array]:
    """Mean, standard error and df of each task's deltas; the error is 0 where nothing moved."""
    deltas, stored = observed.deltas, observed.stored
    # Otherwise five equal losses in five rounds would be a certainty.
    padded = np.concatenate([deltas, np.zeros((observed.tasks, 2))], axis=1)
    steady = (deltas.std(axis=1, ddof=1) <= SPREAD_FLOOR) & (np.abs(deltas[:, 0]) > SPREAD_FLOOR)
    chosen = ((padded if same else own) for own, padded, same in zip(deltas, padded, steady.tolist(), strict=True))
    parts = [(values.mean(), values.var(ddof=1) / len(values), len(values) - 1) for values in chosen]
    means, variances, df = (np.array(column, dtype=float) for column in zip(*parts, strict=True))
    shared = 0.0 if stored is None else stored.variance + stored.drift**2
    return means, np.where(variances > SPREAD_FLOOR**2, np.sqrt(variances + shared), 0.0), df


def _listed(values: Array, known: Flags) -> _Numbers:
    return [value if ok else None for value, ok in zip(values.tolist(), known.tolist(), strict=True)]


def _by_check(rounds: Rounds) -> tuple[_Numbers, _Numbers]:
    """The e-value of a lower pass rate and the flake rate, per task; None without named checks or a second round."""
    tasks = len(rounds.tasks)
    nothing: _Numbers = [None] * tasks
    if not rounds.checks or rounds.count < 2:
        return nothing, nothing
    task_of = np.array([task for task, _ in rounds.checks])
    counts = np.bincount(task_of, minlength=tasks)
    # A block is one run of each side, and a stored baseline has more of them than the candidate.
    shared = min(rounds.passes_before.shape[1], rounds.passes_after.shape[1])
    e_values = pass_rate_evidence(rounds.passes_before[:, :shared], rounds.passes_after[:, :shared])
    shares = np.stack([rounds.passes_before.mean(axis=1), rounds.passes_after.mean(axis=1)])
    flakes = np.minimum(shares, 1 - shares).mean(axis=0)
    means = [
        np.bincount(task_of, weights=values, minlength=tasks) / np.maximum(counts, 1) for values in (e_values, flakes)
    ]
    return _listed(means[0], counts > 0), _listed(means[1], counts > 0)


class _Marks(NamedTuple):
    """Per task: whether it is suspect or shown, the check that moved most, and the named checks that are shown."""

    suspect: Flags
    shown: Flags
    worst: list[str | None]
    names: list[list[str]]


def _status(place: int, down: _Marks, up: _Marks) -> Status:
    """A task may hold a check that fell beside one that rose: the loss is what a reader must see."""
    if down.shown[place]:
        return "worse"
    return "suspect" if down.suspect[place] else "better" if up.shown[place] else "ok"


def _flags(rounds: Rounds, units: Units, policy: Policy) -> _Marks:
    """Which tasks are suspect and which are shown, by their checks or as a whole."""
    tasks = len(rounds.tasks)
    marks = _Marks(np.zeros(tasks, dtype=bool), np.zeros(tasks, dtype=bool), [None] * tasks, [[] for _ in range(tasks)])
    confirmed = confirmed_level(policy)
    if units.checks is not None:
        for place in np.argsort(-units.checks, kind="stable"):  # the worst one of a task comes last
            task, name = rounds.checks[int(place)]
            if units.checks[place] < SUSPECT_LEVEL:
                marks.suspect[task], marks.worst[task] = True, name or None
            if units.claims is not None and units.claims[place] < confirmed:
                marks.shown[task] = True
                marks.names[task] += [name] if name else []
    if units.tasks is not None:
        marks.suspect[units.tasks < SUSPECT_LEVEL] = True
        marks.shown[units.tasks < confirmed] = True
    return marks
