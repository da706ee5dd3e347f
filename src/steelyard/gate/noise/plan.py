"""What a suite can detect, before any call is paid for. Pure.

With s the standard deviation of the mean delta per task in one round, n rounds of T tasks that are fixed beforehand
detect, at 80% power and 5% error,

    MDE(n) = (t_{.975,ν} + t_{.80,ν})·s/√n,   ν = T − 1      nothing with a single task

Rounds that are looked at one by one have ν = n − 1 (docs/scoring.md §3.5): `better` needs the smallest n that
detects the effect, `safe` the one that shows a change which does nothing to be no worse than the margin.
s² = Σ_t 2σ_t²/T², with σ_t² of one run from the checks and the judge of task t:

    σ_t² = (0.6² · Σ p(1−p)/k² + w²·sd²) / (0.6 + w)²
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from steelyard.errors import InputError
from steelyard.gate.evidence.noise import Noise
from steelyard.gate.evidence.policy import DRIFT
from steelyard.gate.evidence.variation import TaskVariation
from steelyard.gate.model import JUDGE_WEIGHT
from steelyard.gate.score import OBJECTIVE_WEIGHT
from steelyard.rows import Tabular
from steelyard.stats.power import minimum_detectable, rounds_needed

ROUNDS = (1, 3, 5, 10, 20)
"""Numbers of rounds for which the detectable effect is listed."""

MOST_ROUNDS = 20
"""Rounds that `adaptive` may take; what needs more is better bought with more tasks."""


@dataclass(frozen=True, slots=True)
class SuiteNoise:
    """What is known, or assumed, of a suite."""

    source: str
    """Where the numbers come from, for a person."""
    tasks: int
    round_sd: float
    """Standard deviation of the mean delta per task in one round."""
    usd_per_round: float | None = None
    idle: tuple[str, ...] = ()
    """Tasks that never vary and so add nothing: they always pass, or always fail."""
    recorded: int = 0
    """Runs a task of the baseline on record; 0 if there is no store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan(SuiteNoise, Tabular):
    """What a suite can detect."""

    detectable: Mapping[int, float | None]
    """Rounds, fixed beforehand → the mean delta per task that 80% of comparisons detect; None with a single task."""
    effect: float
    margin: float
    rounds_better: int | None
    """Rounds that detect the effect when every round is looked at; None if no number does."""
    rounds_safe: int | None
    """Rounds that show a change which does nothing to be no worse than the margin."""
    tasks_better: int | None
    """Tasks like these that detect the effect within 20 rounds; None where these suffice."""
    tasks_safe: int | None
    """The same for the margin."""
    affordable: Affordable | None = None
    """What a budget buys; None without one."""

    def records(self) -> list[dict[str, Any]]:
        """The detectable effect by the number of rounds."""
        return [{"rounds": rounds, "detectable": effect} for rounds, effect in self.detectable.items()]


@dataclass(frozen=True, slots=True)
class Affordable:
    """What a budget buys."""

    runs: int
    """Runs that it pays for."""
    usd: float | None
    rounds: int
    """Full rounds of both arms."""
    margin: float | None
    """Mean delta per task that these can show, in 80% of comparisons; None if there are fewer than two rounds."""
    stored_rounds: int
    """Full rounds of the candidate alone, against the record."""
    stored_margin: float | None
    """What these can show, the allowance for drift included; None without a record."""


@dataclass(frozen=True, slots=True)
class PlanSpec:
    """What to plan for."""

    effect: float = 0.05
    margin: float = 0.05
    budget_runs: int | None = None
    """Runs that may be spent."""
    budget_usd: float | None = None
    """Dollars that may be spent, where the cost of a run is known."""
    drift: float = DRIFT
    """The allowance for drift of a record."""


def plan_suite(suite: SuiteNoise, spec: PlanSpec) -> SuitePlan:
    """What the suite can detect, and what the question costs."""
    better, safe = (_rounds(target, suite.round_sd) for target in (spec.effect, spec.margin))
    return SuitePlan(
        **{known.name: getattr(suite, known.name) for known in fields(suite)},
        detectable={n: _detectable(n, suite) for n in ROUNDS},
        effect=spec.effect,
        margin=spec.margin,
        rounds_better=better,
        rounds_safe=safe,
        tasks_better=_tasks(better, spec.effect, suite),
        tasks_safe=_tasks(safe, spec.margin, suite),
        affordable=_affordable(suite, spec),
    )


def _affordable(suite: SuiteNoise, spec: PlanSpec) -> Affordable | None:
    """What the budget buys, side by side and against the record."""
    per_run = None if suite.usd_per_round is None else suite.usd_per_round / (2 * suite.tasks)
    runs = spec.budget_runs
    if spec.budget_usd is not None:
        if not per_run:
            raise InputError("what a run costs is not known, so nor is what a budget buys", cure="--usd-per-run")
        # int comes last: where runs cost next to nothing the quotient is infinite.
        runs = int(min(runs or 10**9, spec.budget_usd / per_run))
    if runs is None:
        return None
    rounds, alone = runs // (2 * suite.tasks), runs // suite.tasks
    fresh = minimum_detectable(suite.round_sd / math.sqrt(rounds), rounds - 1) if rounds > 1 else None
    stored = None
    if suite.recorded and alone:
        # s² is that of a difference of two runs: half of it is the candidate's, half the record's.
        error = suite.round_sd**2 / 2 * (1 / alone + 1 / suite.recorded) + spec.drift**2
        # So many degrees of freedom are the normal quantiles: the error counts as known.
        stored = minimum_detectable(math.sqrt(error), 1e6)
    money = None if per_run is None else runs * per_run
    return Affordable(runs, money, rounds, fresh, alone if suite.recorded else 0, stored)


def from_rates(tasks: int, rates: Iterable[float]) -> SuiteNoise:
    """What real agents vary by: one check a task, which passes at one of these rates."""
    variances = [rate * (1 - rate) for rate in rates]
    spread = math.sqrt(2 * math.fsum(variances) / len(variances) / tasks)
    source = "pass rates of real agents (Terminal-Bench 2, one check a task)"
    return SuiteNoise(source, tasks, spread)


def recorded(noise: Noise) -> SuiteNoise:
    """What a noise record says of a suite."""
    idle = tuple(idle_task(task.task, task.pass_rates.values()) for task in noise.tasks if not task.varies)
    source = f"noise record {noise.fingerprint[:16]} of {noise.created[:10]}"
    return SuiteNoise(source, len(noise.tasks), noise.round_sd, noise.usd_per_round, idle)


def assumed(tasks: int, checks: int, pass_rate: float, judge_sd: float | None) -> SuiteNoise:
    """What stated pass rates and spreads amount to."""
    task = TaskVariation((pass_rate,) * checks, judge_sd or 0.0, None if judge_sd is None else JUDGE_WEIGHT)
    judge = "" if judge_sd is None else f", judge sd {judge_sd:g}"
    source = f"assumption of {checks} checks a task with pass rate {pass_rate:g}{judge}"
    return SuiteNoise(source, tasks, math.sqrt(2 * run_variance(task) / tasks))


def run_variance(task: TaskVariation) -> float:
    """σ_t²: the variance of a task's composite between runs."""
    if task.composite_sd is not None:
        return task.composite_sd**2
    checks = max(1, len(task.pass_rates))
    objective = math.fsum(rate * (1 - rate) for rate in task.pass_rates) / checks**2
    if task.judge_weight is None:
        return objective
    weight = task.judge_weight
    return (OBJECTIVE_WEIGHT**2 * objective + (weight * task.judge_sd) ** 2) / (OBJECTIVE_WEIGHT + weight) ** 2


def _detectable(rounds: int, suite: SuiteNoise) -> float | None:
    if suite.tasks < 2:
        return None
    return minimum_detectable(suite.round_sd / math.sqrt(rounds), suite.tasks - 1)


def _rounds(target: float, spread: float) -> int | None:
    return rounds_needed(target, spread) if spread > 0 else None  # no spread, no evidence: the contract rule is enough


def _tasks(rounds: int | None, target: float, suite: SuiteNoise) -> int | None:
    """Tasks like these for which 20 rounds detect the target: the spread of a mean shrinks with their square root."""
    if suite.round_sd == 0 or (rounds is not None and rounds <= MOST_ROUNDS):
        return None
    reach = minimum_detectable(suite.round_sd / math.sqrt(MOST_ROUNDS), MOST_ROUNDS - 1)
    return math.ceil(suite.tasks * (reach / target) ** 2)


def idle_task(task: str, rates: Iterable[float]) -> str:
    """A task that never varies, and whether it passes or fails."""
    known = set(rates)
    state = "always passes" if known == {1.0} else "always fails" if known == {0.0} else "always the same"
    return f"{task} ({state})"
