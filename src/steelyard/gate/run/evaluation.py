"""The eval set of a gate run: one task for each arm of each round that is left, in the order of the rounds.

External runners drive a run through the one call here: with `INSPECT_EVAL_SET_CAPTURE` it only lists the tasks and ends
the process, with `INSPECT_EVAL_SET_SELECTION` it runs some of them. Two tasks run at a time, so that the arms of a
round run side by side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from inspect_ai.log import EvalLog

from steelyard.errors import LogError, boundary
from steelyard.gate import tasks as gate_tasks
from steelyard.gate.blame.parts import recipe
from steelyard.gate.purse import purse
from steelyard.gate.run.plan import Name, RunSpec, Unit
from steelyard.gate.tasks import ArmSpec
from steelyard.logs.evaluate import evaluate_set
from steelyard.logs.identity import read_stamp
from steelyard.models.redaction import subject
from steelyard.report.numbers import things

Ended = Callable[[], None]
"""Called after each run of a unit."""

Execute = Callable[[Sequence[Unit], Callable[[Sequence[Unit]], list[EvalLog]]], list[EvalLog]]
"""Takes what is left to run and the call of the eval set over it; an engine runs that elsewhere."""


def evaluate(
    spec: RunSpec,
    arms: Mapping[Name, ArmSpec],
    units: Sequence[Unit],
    meter: Callable[[Unit], Ended] = lambda unit: lambda: None,
    spent_usd: float = 0.0,
) -> list[EvalLog]:
    """Run the units as one eval set; the logs of its tasks, without samples. `spent_usd` of the budget is gone."""
    configured = _configured(spec, arms)
    tasks = [
        gate_tasks.arm_task(configured(unit, name), unit.round, chosen, ended)
        for unit, ended in ((unit, meter(unit)) for unit in units)
        for name, chosen in unit.tasks.items()
    ]
    model = spec.agent.model if arms["candidate"].agent.uses_model else None
    at_a_time = spec.max_samples or min(4, os.cpu_count() or 1)
    # Units of blame have one run on each side, so that many of them run at a time.
    sides = max(len(unit.tasks) for unit in units) if spec.parts is None else at_a_time
    with boundary(LogError, f"{_rounds(units)} could not be run"), purse(spec.budget_usd, spent_usd):
        return evaluate_set(
            tasks,
            # Inspect wants a model even where the agent does not use one.
            model=subject(model or "none/none"),
            log_dir=str(spec.log_dir),
            log_format="eval",
            log_level="error",
            # A run that breaks is tried once more and then left without a score; the others go on.
            fail_on_error=False,
            retry_on_error=1,
            # One attempt: what is left of a round is planned anew by the next start.
            retry_immediate=False,
            retry_attempts=1,
            max_tasks=sides,
            # Inspect counts samples by task, and each arm is one.
            max_samples=max(1, at_a_time // sides),
            # The folder also holds logs of other rounds, the lock and the comparison.
            log_dir_allow_dirty=True,
            score_display=False,
            ctl_server=False,
        )


def _configured(spec: RunSpec, arms: Mapping[Name, ArmSpec]) -> Callable[[Unit, Name], ArmSpec]:
    """Gives an arm of a unit: as it is, or with the parts of the candidate that the unit keeps."""
    if spec.parts is None:
        return lambda unit, name: arms[name]
    whole = recipe(arms["candidate"].config, arms["baseline"].config, spec.parts)

    def configured(unit: Unit, name: Name) -> ArmSpec:
        assert unit.kept is not None
        return replace(arms[name], config=whole.configuration(unit.kept[name]))

    return configured


def require_whole(logs: Sequence[EvalLog]) -> None:
    """Raise if an evaluation ended before its last run."""
    for log in logs:
        if log.status == "error":
            stamp = read_stamp(log.eval.metadata)
            number = 1 if stamp is None else stamp.extra.get("round", 1)
            why = log.error.message if log.error else "no reason given"
            raise LogError(f"round {number} ended early: {why}", cure="fix that, then run the same command to continue")


def _rounds(units: Sequence[Unit]) -> str:
    numbers = sorted({unit.round.number for unit in units})
    return f"round {numbers[0]}" if len(numbers) == 1 else f"{things(len(numbers), 'round')}"


def one_by_one(units: Sequence[Unit]) -> list[Unit]:
    """The same runs with a unit for each task of a round, so that a worker gets both arms of one task."""
    split: list[Unit] = []
    for unit in units:
        names = dict.fromkeys(name for chosen in unit.tasks.values() for name in chosen)
        for name in names:
            own: dict[Name, tuple[str, ...]] = {arm: (name,) for arm, chosen in unit.tasks.items() if name in chosen}
            split.append(replace(unit, tasks=own))
    return split
