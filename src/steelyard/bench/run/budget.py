"""What a run has spent and how far it is, counted while Inspect works.

A budget stops new work, not work under way: a sample that starts after the budget is spent ends in `BudgetSpentError`
before it calls a model. Such a sample is an error in the log, never a score, so the same command with a larger budget
runs it later. Prices are in `prices`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.log._samples import sample_active
from inspect_ai.model import ModelUsage
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard.errors import SteelyardError
from steelyard.models.prices import priced
from steelyard.report import numbers

NOT_STARTED = "not started: the budget is spent"
"""How the error of a sample begins that came too late."""


class BudgetSpentError(SteelyardError):
    """A sample was not started because the budget is spent."""


def spent(budget_usd: float | None) -> str:
    """What is said of a run that its budget ended."""
    return f"the budget of ${budget_usd} is spent; run again with a larger one to continue"


class TaskOnModel(NamedTuple):
    """One task of a run on one of its models, by the names that Inspect gives them."""

    model: str
    task: str


@dataclass
class Meter:
    """Counts the cost and progress of one run; the only mutable object in a run."""

    budget_usd: float | None = None
    tell: Callable[[TaskOnModel, int], None] = lambda unit, samples: None
    """Called when a sample begins or has ended, with the number of samples of that task on that model that have."""
    spent_usd: float = 0.0
    tokens: int = 0
    samples: int = 0
    by_unit: Counter[TaskOnModel] = field(default_factory=Counter[TaskOnModel])
    """Samples that have ended, of each task on each model."""
    unpriced: set[str] = field(default_factory=set[str])
    """Models that were used and whose price is unknown."""
    stopped: Callable[[], bool] = lambda: False
    """Whether all workers of the run together have spent its budget."""

    def used(self, model: str, usage: ModelUsage) -> None:
        """Count one call."""
        self.tokens += usage.total_tokens
        if usage.total_cost is not None:
            self.spent_usd += usage.total_cost
        elif not priced(model):
            self.unpriced.add(model)

    @property
    def exhausted(self) -> bool:
        """Whether no new work may start."""
        return (self.budget_usd is not None and self.spent_usd >= self.budget_usd) or self.stopped()


_active: list[Meter] = []


@contextmanager
def metering(meter: Meter) -> Generator[Meter]:
    """Make `meter` count everything that Inspect runs in this block."""
    _active.append(meter)
    try:
        yield meter
    finally:
        _active.remove(meter)


@solver
def within_budget() -> Solver:
    """The first step of every sample of a bench run."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        unit = _unit()
        for meter in _active:
            meter.tell(unit, meter.by_unit[unit])
            if meter.exhausted:
                where = " by all workers" if meter.stopped() else ""
                amounts = f"{numbers.usd(meter.spent_usd)} of {numbers.usd(meter.budget_usd)}"
                raise BudgetSpentError(f"{NOT_STARTED}{where or f' ({amounts})'}")
        return state

    return solve


async def count(state: TaskState) -> None:
    """The last step of every sample: what it used, its judge included, however it ended."""
    unit = _unit()
    for meter in _active:
        for event in transcript().events:
            # Answers from the cache were paid for by an earlier run.
            if isinstance(event, ModelEvent) and event.cache != "read" and event.output.usage is not None:
                meter.used(event.model, event.output.usage)
        # The tokens of an interrupted sample are paid for, but the sample is not done.
        if not _interrupted():
            meter.samples += 1
            meter.by_unit[unit] += 1
            meter.tell(unit, meter.by_unit[unit])


def _unit() -> TaskOnModel:
    """Whose sample this is: several tasks run side by side, and a step of a sample is not told its task."""
    active = sample_active()
    return TaskOnModel(active.model, active.task) if active is not None else TaskOnModel("", "")


def _interrupted() -> bool:
    """Whether this sample is being cancelled: Ctrl-C ends all that run, and none of them is done."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
