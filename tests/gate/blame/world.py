"""Blames whose agent is a function of the configuration it gets: real plans, logs and answers without a sandbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from inspect_ai import Task as InspectTask
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from steelyard.gate.agents import AgentSpec
from steelyard.gate.blame.parts import PartRules
from steelyard.gate.metadata import as_metadata
from steelyard.gate.model import Cost, Run
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.scorer import gate, gate_agent
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

TASK = "id: {id}\ntitle: T\nprompt: Do it.\nchecks: [{{kind: file_exists, name: a, path: a}}]\n"

Rate = Callable[[str, str], float]
"""(task, text of the instructions) → how often the task is solved."""


class World:
    """Tasks, and who solves them how often."""

    def __init__(self, folder: Path, rate: Rate) -> None:
        self.folder, self.rate = folder, rate
        self.started: list[tuple[int, str, str]] = []
        """(pair, arm, task) of every run that began."""
        self.unscored: set[tuple[int, str]] = set()
        """(pair, arm) of runs that a fault leaves without a score, the first time."""
        self.down = False
        """Whether that fault stays."""
        self.before: Callable[[], None] = lambda: None

    def task(self, arm: ArmSpec, round: Round, tasks: Any = None, ended: Any = lambda: None) -> InspectTask:
        """Stands for `arm_task`."""
        made = arm_task(arm, round, tasks, ended)
        text = "\n".join(file.data.decode("utf-8", "replace") for _, file in sorted(arm.config.tree.items()))

        async def work(state: TaskState) -> None:
            self.before()
            self.started.append((round.number, arm.name, str(state.sample_id)))

        async def score(state: TaskState) -> Score:
            if (round.number, arm.name) in self.unscored and (self.down or not round.start):
                return to_score(Unscored("provider", "the provider is down"))
            task = str(state.sample_id)
            solved = Random(f"{task}:{round.number}:{round.watch}:{arm.name}").random() < self.rate(task, text)
            cost = Cost(tokens=float(len(text)), cost_usd=0.01)
            run = Run(task, float(solved), 1, checks={"a": solved}, cost=cost)
            ended()
            return to_score(Scored(run.passed), metadata=as_metadata(run, ("a",)))

        made.sandbox = None
        made.solver = gate_agent(work)
        made.scorer = [gate(score)]
        return made


def sections(*titles: str, bad: str = "") -> str:
    """An instruction file with these sections."""
    return "# Project\n\n" + "".join(
        f"## {title}\n\nAbout {title}.{bad if title == 'Bad' else ''}\n\n" for title in titles
    )


def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: Rate, *, text: str, tasks: int = 4,
          pairs: int = 4) -> World:  # fmt: skip
    """The tasks and the candidate on disk, and the stand-in for running them; a look is `pairs` pairs."""
    for number in range(tasks):
        folder = tmp_path / "tasks" / f"t{number}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "task.yaml").write_text(TASK.format(id=f"t{number}"))
    (tmp_path / "candidate").mkdir(exist_ok=True)
    (tmp_path / "candidate" / "AGENTS.md").write_text(text)
    made = World(tmp_path, rate)
    monkeypatch.setattr("steelyard.gate.tasks.arm_task", made.task)
    monkeypatch.setattr("steelyard.gate.blame.run.PAIRS", pairs)
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    return made


def run_spec(tmp_path: Path, **options: Any) -> RunSpec:
    """A run of the candidate, taken apart by sections."""
    fields: dict[str, Any] = {
        "tasks": tmp_path / "tasks",
        "baseline": None,
        "candidate": str(tmp_path / "candidate"),
        "agent": AgentSpec("command", ("true",)),
        "log_dir": tmp_path / "logs",
        "parts": PartRules("sections"),
        "seed": 1,
        "max_samples": 8,
    }
    return RunSpec(**{**fields, **options})
