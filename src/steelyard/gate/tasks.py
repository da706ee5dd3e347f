"""`steelyard/gate`: one arm of one round as an Inspect task.

    inspect eval steelyard/gate -T tasks=tasks -T config=agent -T agent=model --model PROVIDER/NAME

The sandbox is bubblewrap: an empty home, a private process tree, no network unless the agent needs it, and of the
host only the agent's own program. Prompts are samples; checks, rubric and protected files never enter the sandbox
while the agent lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironmentSpec

from steelyard.gate.agents import Agent, AgentSpec, find_agent
from steelyard.gate.config import Config, load_config
from steelyard.gate.metadata import SCORER, SCORER_VERSION
from steelyard.gate.scorer import gate as gate_scorer
from steelyard.gate.scorer import gate_agent, gate_judge
from steelyard.gate.task import Suite, load_suite
from steelyard.gate.trial import attempt, examine
from steelyard.gate.workspace import hidden
from steelyard.judge.panel import Panel, panel
from steelyard.judge.prompt import rubric_identity
from steelyard.logs.identity import Fingerprint, Stamp, environment, samples_hash, sha256_of
from steelyard.plain import in_plain_words
from steelyard.sandbox.bubblewrap import Bubblewrap

NAME = "steelyard/gate"


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm: the same tasks, agent and judge on both sides, and the configuration under test."""

    name: Literal["baseline", "candidate"]
    suite: Suite
    config: Config
    agent: Agent
    spec: AgentSpec
    panel: Panel | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """Which of several rounds, and the seed that shuffled their order."""

    number: int = 1
    rounds: int = 1
    seed: int = 0


@task(name="gate")
@in_plain_words
def gate(
    tasks: str,
    config: str,
    agent: str = "model",
    agent_command: str | None = None,
    agent_model: str | None = None,
    judge: str = "none",
    arm: Literal["baseline", "candidate"] = "candidate",
) -> InspectTask:
    """One arm of the gate; `agent_command` is split at blanks."""
    from inspect_ai.model import get_model

    model = agent_model or (str(get_model()) if agent == "model" else None)
    spec = AgentSpec(agent, tuple((agent_command or "").split()), model)
    judged = panel([judge])
    return arm_task(Arm(arm, load_suite(Path(tasks)), load_config(config), find_agent(spec), spec, judged), Round())


def arm_task(arm: Arm, turn: Round) -> InspectTask:
    """The Inspect task of one arm in one round."""
    by_id = {each.id: each for each in arm.suite.tasks}
    unseen = hidden(arm.suite.folder)
    box = Bubblewrap(network=arm.agent.network, read_only=dict(arm.agent.binds), hide=unseen)
    judges = [] if arm.panel is None else [gate_judge(list(arm.panel.judges), arm.panel.repeats, arm.panel.cache)]

    async def work(state: TaskState) -> None:
        await attempt(state, by_id[str(state.sample_id)], arm.config, arm.agent)

    async def weigh(state: TaskState) -> Score:
        return await examine(state, by_id[str(state.sample_id)], arm.config)

    return InspectTask(
        dataset=MemoryDataset([Sample(id=each.id, input=each.file.prompt) for each in arm.suite.tasks], name="gate"),
        solver=gate_agent(work),
        scorer=[gate_scorer(weigh), *judges],
        sandbox=SandboxEnvironmentSpec("bubblewrap", box),
        metadata=stamp(arm, turn).as_metadata(),
        name="gate",
    )


def fingerprint(arm: Arm) -> Fingerprint:
    """What must be equal in both arms: everything but the configuration."""
    rubrics = {each.id: rubric_identity(each.rubric) for each in arm.suite.tasks if each.rubric is not None}
    return Fingerprint(
        dataset=arm.suite.sha,
        samples=samples_hash(each.id for each in arm.suite.tasks),
        scorer=f"{SCORER}@{SCORER_VERSION}",
        judge=None if arm.panel is None else arm.panel.identity,
        rubric=sha256_of(rubrics) if rubrics else None,
        parameters={
            "agent": arm.spec.name,
            "agent_identity": arm.agent.identity,
            "model": arm.spec.model,
            "network": arm.agent.network,
            "telemetry": arm.spec.telemetry,
        },
    )


def stamp(arm: Arm, turn: Round) -> Stamp:
    """The identity of one arm in one round."""
    return Stamp(
        wing="gate",
        unit=arm.name,
        fingerprint=fingerprint(arm),
        label=arm.config.label,
        environment=environment(agent=arm.agent.version),
        extra={
            "config": arm.config.sha,
            "artifacts": arm.config.artifacts,
            "source": arm.config.source,
            "checks": {each.id: list(each.names) for each in arm.suite.tasks},
            "judged": [each.id for each in arm.suite.tasks if each.rubric is not None],
            "round": turn.number,
            "rounds": turn.rounds,
            "seed": turn.seed,
        },
    )
