"""Has the baseline moved since it was recorded? (docs/scoring.md §3.5) Pure.

z = mean_t(p_new − p_old) / √( Σ_t q_t(1 − q_t)(1/n_new + 1/n_old) / T² ) over the tasks that both have, with q_t the
pooled mean of the task; for composites q_t(1 − q_t) is an upper bound of their variance.

The allowance for drift is 0.015 where every week since the first recorded run has at least one fresh round and the
newest week agrees with those before it (|z| < 2.576), else 0.03.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from steelyard.gate.evidence.policy import CONTROLLED_DRIFT, DRIFT

WEEK = timedelta(days=7)
"""How long a control round vouches for the record."""

AGREES = 2.576
"""|z| below which the newest runs agree with the record: 99%, two-sided."""


class Shift(NamedTuple):
    """How far newer runs are from those on record."""

    mean: float
    """Per task."""
    error: float
    """Its standard error."""
    tasks: int

    @property
    def z(self) -> float:
        return self.mean / self.error if self.error > 0 else math.copysign(math.inf, self.mean) if self.mean else 0.0


def shift(old: Mapping[str, Sequence[float]], new: Mapping[str, Sequence[float]]) -> Shift | None:
    """The shift over the tasks that both have; None if there is none."""
    tasks = [task for task in old if old[task] and new.get(task)]
    if not tasks:
        return None
    deltas = [math.fsum(new[task]) / len(new[task]) - math.fsum(old[task]) / len(old[task]) for task in tasks]
    parts = ((old[task], new[task]) for task in tasks)
    total = math.fsum(run_variance([*one, *other]) * (1 / len(one) + 1 / len(other)) for one, other in parts)
    return Shift(math.fsum(deltas) / len(tasks), math.sqrt(total) / len(tasks), len(tasks))


def run_variance(scores: Sequence[float]) -> float:
    """q(1 − q) with half a success and half a failure more than were seen: a task that never failed so far may."""
    share = (math.fsum(scores) + 0.5) / (len(scores) + 1)
    return share * (1 - share)


Dated = tuple[datetime, Mapping[str, float]]
"""When a round began, and the score of each of its tasks."""


def allowance(rounds: Sequence[Dated], now: datetime) -> tuple[float, str]:
    """δ for a baseline with these rounds on record, and why, in words."""
    if not rounds:
        return DRIFT, "nothing is on record"
    begun = sorted(at for at, _ in rounds)
    # The last gap ends now: a record without a recent round is not controlled any more.
    gaps = [later - earlier for earlier, later in zip(begun, (*begun[1:], now), strict=True)]
    if max(gaps) > WEEK:
        return DRIFT, f"no fresh round for {max(gaps).days} days"
    newest = [(at, scores) for at, scores in rounds if now - at <= WEEK]
    older = [(at, scores) for at, scores in rounds if now - at > WEEK]
    if older and (moved := shift(by_task(older), by_task(newest))) and abs(moved.z) >= AGREES:
        return DRIFT, f"the newest week differs from the record by {moved.mean:+.3f} per task"
    return CONTROLLED_DRIFT, "at least one fresh round a week, and the newest agree with the record"


def by_task(rounds: Iterable[Dated]) -> dict[str, list[float]]:
    """Task → its scores in all rounds."""
    found: dict[str, list[float]] = {}
    for _, scores in rounds:
        for task, score in scores.items():
            found.setdefault(task, []).append(score)
    return found
