"""(runs of one configuration, spec) → its noise record (docs/scoring.md §3.6). Pure: the clock and the seed come in.

Contract and floor: the runs of every task are split at random into two sides of equal size, and `compare` decides.
Evidence and adaptive: comparisons drawn from the runs, decided by `decide` (see `simulate`). The floor is the 95%
quantile of |net gain| over those splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from statistics import stdev

import numpy as np

from steelyard.errors import InputError
from steelyard.gate.compare import compare
from steelyard.gate.evidence.noise import Noise, NoisyTask
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.model import Comparison, Run, Thresholds, by_task
from steelyard.gate.noise.simulate import pool, shares
from steelyard.gate.score import composite
from steelyard.outcome import exact
from steelyard.stats.interval import wilson

COMPARISONS = 500
"""Drawn for each policy, unless the suite is very large."""

_MOST_RUNS = 150_000
"""Runs that are compared one by one for the contract rule, over all splits."""

POLICIES = {
    "evidence": Policy("evidence"),
    "adaptive, better": Policy("adaptive"),
    "adaptive, safe": Policy("adaptive", question="safe"),
}
"""The policies beside `contract`, by what a record calls them."""


@dataclass(frozen=True, slots=True)
class NoiseSpec:
    """How to measure."""

    fingerprint: str
    seed: int
    thresholds: Thresholds = field(default_factory=Thresholds)
    comparisons: int = COMPARISONS


def measure(runs: Iterable[Run], spec: NoiseSpec, *, now: datetime) -> Noise:
    """The noise record of runs of one configuration."""
    tasks = _sound(runs)
    smallest = min(map(len, tasks.values()))
    if smallest < 2:
        lone = next(task for task, own in tasks.items() if len(own) < 2)
        raise InputError(f"the task {lone!r} has a single run: chance cannot be seen in it", cure="at least two rounds")
    suite = pool(list(tasks.values()))
    verdicts, floor, splits = _contract(tasks, spec)
    false: dict[str, Mapping[str, float]] = {"contract": verdicts}
    # As many rounds on each side as the splits for the contract rule have.
    rounds = max(1, smallest // 2)
    for name, policy in POLICIES.items():
        false[name] = shares(suite, policy, rounds, spec.comparisons, spec.seed)
    return Noise(
        fingerprint=spec.fingerprint,
        created=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        rounds=rounds,
        tasks=tuple(_task(task, own) for task, own in tasks.items()),
        floor=exact(floor),
        false_verdicts=false,
        resamples=splits,
        seed=spec.seed,
        round_sd=suite.round_sd,
        usd_per_round=usd_per_round(tasks),
    )


def usd_per_round(tasks: Mapping[str, Sequence[Run]]) -> float | None:
    """What a round of both sides costs, by the mean of each task's runs."""
    total = 0.0
    for own in tasks.values():
        prices = [run.cost.or_claimed(run.claims).cost_usd for run in own]
        known = [price for price in prices if price is not None]
        if len(known) < len(prices):
            return None
        total += 2 * sum(known) / len(known)
    return total


def _sound(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Task → its runs, in the order of names."""
    tasks = by_task(runs)
    if not tasks:
        raise InputError("there are no runs to measure")
    if unsound := next((task for task, own in tasks.items() if not all(map(Run.sound, own))), None):
        raise InputError(f"the task {unsound!r} has a run whose numbers are not finite, or a negative cost")
    return dict(sorted(tasks.items()))


def _task(name: str, runs: Sequence[Run]) -> NoisyTask:
    judged = all(run.judge is not None for run in runs)
    usual = Counter(_result(run) for run in runs).most_common(1)[0][1]
    flakes = wilson(len(runs) - usual, len(runs))
    judges = [run.judge for run in runs if run.judge is not None]
    names = runs[0].checks
    return NoisyTask(
        task=name,
        runs=len(runs),
        pass_rates={check: sum(run.checks.get(check, False) for run in runs) / len(runs) for check in names}
        or _counted_rates(runs),
        composite_sd=stdev([composite(run, judged=judged) for run in runs]),
        flake_rate=flakes.estimate,
        flake_low=flakes.low,
        flake_high=flakes.high,
        judge_sd=stdev(judges) if judged else None,
        judge_weight=runs[0].judge_weight if judged else None,
    )


def _counted_rates(runs: Sequence[Run]) -> dict[str, float]:
    """One rate for runs that count a single check without naming it; counts of several checks are not told apart."""
    single = all(run.total == 1 and run.composite is None for run in runs)
    return {"passed": sum(run.passed for run in runs) / len(runs)} if single else {}


def _result(run: Run) -> tuple[object, ...]:
    """What a run came to, as far as it should be the same every time; small differences of a judge are not flakes."""
    if run.checks:
        return tuple(run.checks.values())
    return (run.passed, run.total, None if run.composite is None else round(run.composite, 2))


def _contract(tasks: Mapping[str, Sequence[Run]], spec: NoiseSpec) -> tuple[dict[str, float], float, int]:
    """(share of each verdict, noise floor, number of splits)."""
    splits = int(np.clip(_MOST_RUNS // sum(map(len, tasks.values())), 20, spec.comparisons))
    random = Random(spec.seed)
    verdicts: Counter[str] = Counter()
    gains: list[float] = []
    for _ in range(splits):
        sides: tuple[list[Run], list[Run]] = ([], [])
        for own in tasks.values():
            # Of an odd number one run is left out, another one in each split.
            half = len(own) // 2
            drawn = random.sample(own, 2 * half)
            sides[0].extend(drawn[:half])
            sides[1].extend(drawn[half:])
        outcome = compare(*sides, spec.thresholds)
        assert isinstance(outcome, Comparison)  # every task has runs on both sides
        verdicts[outcome.verdict] += 1
        gains.append(abs(outcome.net_gain))
    # higher: an interpolated floor could be exceeded by more than 5% of these splits.
    floor = float(np.quantile(gains, 0.95, method="higher"))
    return {name: verdicts[name] / splits for name in ("improved", "neutral", "regressed")}, floor, splits
