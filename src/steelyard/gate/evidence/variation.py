"""What the tasks of a suite vary by when nothing changes: pass rates of checks, and the spread of judges. Pure.

A check that varies within either side has the pass rate of both sides together. One that is constant on each side does
not vary, even if the sides differ: that is a change, not chance, so the baseline's result stands. Runs that only count
their checks are taken as `lowest` sure passes and `highest − lowest` checks that share the rest of the passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from statistics import fmean, variance

from steelyard.gate.evidence.noise import NoisyTask
from steelyard.gate.model import Run, by_task


@dataclass(frozen=True, slots=True)
class TaskVariation:
    """How one task varies from run to run."""

    pass_rates: tuple[float, ...] = ()
    """Of each check, in [0, 1]."""
    judge_sd: float = 0.0
    """Standard deviation of the judge's score."""
    judge_weight: float | None = None
    """None if no judge takes part."""
    composite_sd: float | None = None
    """Standard deviation of a composite that was computed elsewhere; None where checks and judge make it."""

    @property
    def varies(self) -> bool:
        """Whether two runs of the task can differ at all."""
        return bool(self.judge_sd or self.composite_sd or any(0 < rate < 1 for rate in self.pass_rates))


def variations(baseline: Iterable[Run], candidate: Iterable[Run]) -> tuple[TaskVariation, ...]:
    """One per task of the baseline, from the sound runs of both sides."""
    before, after = (by_task(filter(Run.sound, side)) for side in (baseline, candidate))
    return tuple(_variation(before[task], after.get(task, [])) for task in sorted(before))


def recorded_variations(tasks: Iterable[NoisyTask]) -> tuple[TaskVariation, ...]:
    """The same from a noise record."""
    return tuple(
        TaskVariation(
            tuple(task.pass_rates.values()),
            task.judge_sd or 0.0,
            task.judge_weight if task.judge_sd is not None else None,
            # Where checks or a judge make the composite, its spread is theirs and would count twice.
            None if task.pass_rates or task.judge_sd is not None else task.composite_sd,
        )
        for task in tasks
    )


def vary_within(runs: Iterable[Run]) -> bool:
    """Whether any task's checks, counts or composites differ between runs of one side."""
    return any(
        len({(run.passed, run.total, run.composite, tuple(run.checks.values())) for run in own}) > 1
        for own in by_task(filter(Run.sound, runs)).values()
    )


def _variation(before: Sequence[Run], after: Sequence[Run]) -> TaskVariation:
    runs = [*before, *after]
    if all(run.composite is not None for run in runs):
        return TaskVariation(composite_sd=within_sd(*([run.composite for run in side] for side in (before, after))))
    # As in `compare`: one run without the judge's score drops the judge from the task.
    judged = all(run.judge is not None for run in runs)
    return TaskVariation(
        pass_rates=_pass_rates(before, after),
        judge_sd=within_sd(*([run.judge for run in side] for side in (before, after))) if judged else 0.0,
        judge_weight=runs[0].judge_weight if judged else None,
    )


def _pass_rates(before: Sequence[Run], after: Sequence[Run]) -> tuple[float, ...]:
    if not before[0].checks:
        return _counted_rates(before, after)
    return tuple(_rate(name, before, after) for name in before[0].checks)


def _rate(name: str, before: Sequence[Run], after: Sequence[Run]) -> float:
    sides = [[run.checks[name] for run in side if name in run.checks] for side in (before, after)]
    if all(len(set(side)) <= 1 for side in sides):
        return float(sides[0][0])
    return fmean(passed for side in sides for passed in side)


def _counted_rates(before: Sequence[Run], after: Sequence[Run]) -> tuple[float, ...]:
    total = int(before[0].total)
    varying = [side for side in (before, after) if len({run.passed for run in side}) > 1]
    counts = [int(run.passed) for run in ([*before, *after] if varying else before[:1])]
    lowest, highest = min(counts), max(counts)
    between = highest - lowest
    rate = (fmean(counts) - lowest) / between if between else 0.0
    return (*[1.0] * lowest, *[rate] * between, *[0.0] * max(0, total - highest))


def within_sd(*sides: Iterable[float | None]) -> float:
    """The standard deviation within the sides, pooled; 0 where no side has two values."""
    parts = [[value for value in side if value is not None and isfinite(value)] for side in sides]
    parts = [values for values in parts if len(values) > 1]
    freedom = sum(len(values) - 1 for values in parts)
    return sqrt(sum(variance(values) * (len(values) - 1) for values in parts) / freedom) if freedom else 0.0
