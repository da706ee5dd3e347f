"""The composite of one (task, config) run: docs/scoring.md §3.1.

    obj01     = checks passed / total                     1.0 when the task has no checks
    judge01   = judge score in [0, 1]                     dropped when there is none
    base      = (0.6·obj01 + w·judge01) / (0.6 + w)       w = 0.4, or the task's own; obj01 alone without a judge
    composite = clamp(base + adj, 0, 1)

    adj   = 0 for the baseline; for the candidate 0.1 · clamp(1 − mean(ratios), −1, 1)
    ratio = candidate / baseline, for each metric that both sides measured; baseline 0: 1 if both are 0, else 2

Missing data: a metric that one epoch of either side lacks is unknown and left out; no metric left means adj = 0.
A composite computed elsewhere is used as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.gate.model import METRICS, UNKNOWN_COST, Cost, Run

OBJECTIVE_WEIGHT = 0.6
"""Weight of the objective checks."""

COST_WEIGHT = 0.1
"""The most that cost can add or subtract."""


class Adjustment(NamedTuple):
    """What cost adds to the candidate's composite, and the metrics it is based on."""

    value: float
    metrics: tuple[str, ...]


def objective(passed: float, total: float) -> float:
    """obj01: the share of checks passed; 1.0 for a task without checks."""
    return passed / total if total else 1.0


def base(run: Run, *, judged: bool) -> float:
    """The composite before cost; `judged` says whether the judge's score counts."""
    obj01 = objective(run.passed, run.total)
    if not judged or run.judge is None:
        return obj01
    weight = run.judge_weight
    return (OBJECTIVE_WEIGHT * obj01 + weight * run.judge) / (OBJECTIVE_WEIGHT + weight)


def composite(run: Run, *, judged: bool, adj: float = 0.0) -> float:
    """The composite of one run, in [0, 1]; NaN stays NaN and is never clamped into a number."""
    if run.composite is not None:
        return run.composite
    value = base(run, judged=judged) + adj
    return value if math.isnan(value) else max(0.0, min(1.0, value))


def adjustment(baseline: Cost, candidate: Cost) -> Adjustment:
    """The candidate's cost adjustment, from the mean costs of both sides."""
    if baseline is UNKNOWN_COST or candidate is UNKNOWN_COST:
        return Adjustment(0.0, ())
    ratios = {
        metric: _ratio(reference, measured)
        for metric in METRICS
        if (reference := getattr(baseline, metric)) is not None and (measured := getattr(candidate, metric)) is not None
    }
    if not ratios:
        return Adjustment(0.0, ())
    mean = sum(ratios.values()) / len(ratios)
    return Adjustment(COST_WEIGHT * max(-1.0, min(1.0, 1.0 - mean)), tuple(ratios))


def mean_cost(runs: Sequence[Run]) -> Cost:
    """Means over epochs; a metric that one epoch lacks is unknown."""
    return _mean_of([run.cost for run in runs])


def mean_claims(runs: Sequence[Run]) -> Cost:
    """Means of what the agent claimed; for display only."""
    return _mean_of([run.claims for run in runs])


def _mean_of(costs: Sequence[Cost]) -> Cost:
    if len(costs) == 1:
        return costs[0]
    return Cost(**{metric: _mean([getattr(cost, metric) for cost in costs]) for metric in (*METRICS, "cost_usd")})


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    # Divide before summing: a sum of huge claims would overflow to infinity, which the clamp would turn into a bonus.
    return math.fsum(value / len(known) for value in known)


def _ratio(baseline: float, candidate: float) -> float:
    if baseline == 0:
        return 1.0 if candidate == 0 else 2.0
    return candidate / baseline
