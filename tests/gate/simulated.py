"""Gate runs whose agent is a table of pass rates: real plans, logs and verdicts without a sandbox.

The outcome of a run follows from its arm, task, round and extra round alone, so that tests are repeatable, and a run
that is resumed has the outcomes it would have had.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from inspect_ai import Task as InspectTask
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from steelyard.gate.evidence.policy import Policy
from steelyard.gate.metadata import as_metadata
from steelyard.gate.model import Cost, Run
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.scorer import gate, gate_agent
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

Rate = Callable[[str, str], float]
"""(arm, check) → how often the check passes."""

Started = list[tuple[str, int, int, str]]
"""(arm, round, extra round, task) of every run that began."""


class Suite:
    """Tasks of four checks, and who passes them how often."""

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.cost_usd: float | None = None
        self.unscored: set[tuple[str, int, str]] = set()
        """(arm, round, task) of runs that a fault leaves without a score."""
        self.before: Callable[[int, int], None] = lambda number, watch: None
        """Called before every run with its round and extra round."""
        self.started: Started = []

    def task(self, arm: ArmSpec, round: Round, tasks: Any = None, ended: Any = lambda: None) -> InspectTask:
        """Stands for `arm_task`."""
        task = arm_task(arm, round, tasks, ended)

        async def work(state: TaskState) -> None:
            self.before(round.number, round.watch)
            self.started.append((arm.name, round.number, round.watch, str(state.sample_id)))

        async def score(state: TaskState) -> Score:
            name = str(state.sample_id)
            if (arm.name, round.number, name) in self.unscored:
                return to_score(Unscored("provider", "the provider is down"))
            checks = {
                check: Random(f"{arm.name}:{name}:{check}:{round.number}:{round.watch}").random()
                < self.rate(arm.name, f"{name}/{check}")
                for check in CHECKS
            }
            run = Run(name, sum(checks.values()), len(checks), checks=checks, cost=Cost(cost_usd=self.cost_usd))
            ended()
            return to_score(Scored(run.passed / run.total), metadata=as_metadata(run, CHECKS))

        task.sandbox = None
        task.solver = gate_agent(work)
        task.scorer = [gate(score)]
        return task


CHECKS = ("a", "b", "c", "d")

TASK = """
id: {id}
title: A task of four checks
prompt: Do it.
checks:
{checks}
"""


def simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Callable[..., RunSpec], rate: Rate, **options: Any
) -> tuple[RunSpec, Suite]:
    """A run of `tasks` tasks under `policy`, and the suite that decides its outcomes."""
    count, policy = options.pop("tasks", 4), options.pop("policy", Policy("adaptive"))
    for number in range(count):
        folder = tmp_path / "tasks" / f"t{number}"
        folder.mkdir(parents=True, exist_ok=True)
        checks = "\n".join(f"  - {{kind: file_exists, name: {name}, path: {name}}}" for name in CHECKS)
        (folder / "task.yaml").write_text(TASK.format(id=f"t{number}", checks=checks))
    suite = Suite(rate)
    monkeypatch.setattr("steelyard.gate.tasks.arm_task", suite.task)
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    return gate_spec("true", tasks=tmp_path / "tasks", policy=policy, **options), suite
