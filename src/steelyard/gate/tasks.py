"""`steelyard/gate`: one arm of one round as an Inspect task.

    inspect eval steelyard/gate -T tasks=tasks -T config=agent -T agent=model --model PROVIDER/NAME

The sandbox is bubblewrap unless `-T sandbox=` names another one: an empty home, a private process tree, no network
unless the agent needs it, and nothing of the host but the agent's own program. Each sample is the prompt of a task;
checks, rubric and protected files never enter the sandbox while the agent runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai._util.registry import RegistryInfo, set_registry_info, set_registry_params
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironmentSpec

from steelyard.click_errors import one_line_errors
from steelyard.gate.agents import Agent, AgentSpec, find_agent
from steelyard.gate.checks.sandbox import hidden
from steelyard.gate.config import Config, load_config
from steelyard.gate.config.used import parts_in
from steelyard.gate.metadata import PAIRWISE, PARTS, RUBRICS, SCORER, SCORER_VERSION
from steelyard.gate.scorer import Around, gate_agent, gate_judge
from steelyard.gate.scorer import gate as gate_scorer
from steelyard.gate.task_folder import Suite, Task, load_suite
from steelyard.gate.trial import attempt, examine
from steelyard.judge.pairwise import pair_identity
from steelyard.judge.panel import Panel
from steelyard.judge.panel import panel as panel_of
from steelyard.judge.protocol import rubric_identity
from steelyard.logs.identity import environment, samples_hash, sha256_of
from steelyard.sandbox.bubblewrap import Bubblewrap
from steelyard.sandbox.choose import BUBBLEWRAP, choose
from steelyard.sandbox.dependencies import NOTHING, installed
from steelyard.sandbox.provider import specification
from steelyard.stamp import Fingerprint, Stamp


@dataclass(frozen=True, slots=True)
class ArmSpec:
    """One arm to run: tasks, agent and judge are the same on both sides, the configuration is under test."""

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
    watch: int = 0
    """Number of the extra round for watched tasks after round `number`; 0 for a full round."""
    interleaved: bool = False
    """Whether both arms run side by side."""
    registration: Mapping[str, Any] | None = None
    """The settings registered for this run (`Registration.as_metadata`)."""
    start: int = 0
    """Evaluations of this round that earlier starts have made: what is left of it is another task to Inspect."""
    before: Mapping[str, Sequence[str]] | None = None
    """Arm → digests of its earlier logs (`ledger.chain`); None if nobody knows them."""
    attempt: Mapping[str, Any] | None = None
    """Which attempt of the ledger it belongs to (`ledger.book`)."""


@task(name="gate")
@one_line_errors
def gate(
    tasks: str,
    config: str,
    agent: str = "model",
    agent_command: str | None = None,
    agent_model: str | None = None,
    direct: bool = False,
    judge: str = "none",
    sandbox: str = "bubblewrap",
    arm: Literal["baseline", "candidate"] = "candidate",
) -> InspectTask:
    """One arm of the gate; `agent_command` is split at spaces, `direct` lets a command-line agent use its own key."""
    from inspect_ai.model import get_model

    model = agent_model or (None if direct or agent == "command" else str(get_model()))
    spec = AgentSpec(agent, tuple((agent_command or "").split()), model, direct=direct, sandbox=sandbox)
    return arm_task(
        ArmSpec(arm, load_suite(Path(tasks)), load_config(config), find_agent(spec), spec, panel_of([judge])), Round()
    )


def arm_task(
    arm: ArmSpec, round: Round, tasks: Sequence[str] | None = None, ended: Callable[[], None] = lambda: None
) -> InspectTask:
    """The Inspect task of one arm in one round.

    Args:
        arm: What runs.
        round: Which round it is.
        tasks: The tasks to run, in this order; all of them if absent.
        ended: Called after each of them.
    """
    by_id = {item.id: item for item in arm.suite.tasks}
    hide, place = hidden(arm.suite.folder), choose(arm.spec.sandbox)
    box = Bubblewrap(network=arm.agent.network, limits=arm.agent.limits, read_only=dict(arm.agent.binds), hide=hide)
    rubrics = tuple(item.rubric for item in arm.suite.tasks if item.rubric is not None)
    around = Around(rubrics, baseline=arm.name == "baseline")
    panel = arm.panel
    judges = [gate_judge(list(panel.judges), panel.repeats, panel.cache, lambda _: around)] if panel else []

    async def work(state: TaskState) -> None:
        await attempt(state, by_id[str(state.sample_id)], arm.config, arm.agent, place)

    async def score(state: TaskState) -> Score:
        try:
            return await examine(state, by_id[str(state.sample_id)], arm.config, place)
        finally:
            # Also after an error in scoring, so that progress reaches its end.
            ended()

    def furnished(item: Task) -> SandboxEnvironmentSpec | None:
        """The sandbox of a task that has dependencies; None for the one that all others share."""
        if item.dependencies == NOTHING:
            return None
        extra = installed(item.dependencies, place)
        binds = {**box.read_only, **{inside: str(host) for host, inside in extra.binds}}
        return specification(place, box.model_copy(update={"read_only": binds, "environment": extra.variables}))

    chosen = [by_id[name] for name in (by_id if tasks is None else tasks)]
    samples = [Sample(id=item.id, input=item.file.prompt, sandbox=furnished(item)) for item in chosen]
    made = InspectTask(
        dataset=MemoryDataset(samples, name="gate"),
        solver=gate_agent(work),
        scorer=[gate_scorer(score), *judges],
        sandbox=specification(place, box),
        metadata=stamp(arm, round).as_metadata(),
        name="gate",
    )
    # Registered under its own name and arguments, by which Inspect tells the tasks of an eval set apart.
    set_registry_info(made, RegistryInfo(type="task", name="steelyard/gate", metadata={}))
    set_registry_params(made, _identity(arm, round, tasks))
    return made


def _identity(arm: ArmSpec, round: Round, tasks: Sequence[str] | None) -> dict[str, Any]:
    """What tells the tasks of one eval set apart; not the seed, which shuffles the same runs."""
    whole = tasks is None or len(tasks) == len(arm.suite.tasks)
    # Defaults are left out: with one more argument, Inspect would take the task of an earlier log for another one.
    optional = {"watch": round.watch, "start": round.start, "tasks": None if whole else ",".join(sorted(tasks or ()))}
    return {"arm": arm.name, "round": round.number, **{name: value for name, value in optional.items() if value}}


def rubrics_of(suite: Suite) -> dict[str, str]:
    """Task → the hash of what its results are judged by."""
    return {
        item.id: (pair_identity if item.pairwise else rubric_identity)(item.rubric)
        for item in suite.tasks
        if item.rubric is not None
    }


def fingerprint(arm: ArmSpec) -> Fingerprint:
    """Everything that must be equal in both arms, which is all but the configuration."""
    rubrics = rubrics_of(arm.suite)
    return Fingerprint(
        dataset=arm.suite.sha,
        samples=samples_hash(item.id for item in arm.suite.tasks),
        scorer=f"{SCORER}@{SCORER_VERSION}",
        judge=None if arm.panel is None else arm.panel.identity,
        rubric=sha256_of(rubrics) if rubrics else None,
        parameters={
            "agent": arm.spec.name,
            "agent_identity": arm.agent.identity,
            "model": arm.spec.model,
            "network": arm.agent.network,
            "telemetry": arm.spec.telemetry,
            # Those of the settings only: the hash of a task contains its own. Absent if there are none, as in old logs.
            **({"tools": tools} if (tools := sorted(arm.suite.tools)) else {}),
            **({} if arm.config.skill is None else {"skill": arm.config.skill}),
            **({} if (place := choose(arm.spec.sandbox)) == BUBBLEWRAP else {"sandbox": place.identity}),
        },
    )


def stamp(arm: ArmSpec, round: Round) -> Stamp:
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
            PARTS: parts_in(arm.config.tree, arm.spec.name),
            "source": arm.config.source,
            "folder": arm.config.folder,
            "checks": {item.id: list(item.checks) for item in arm.suite.tasks},
            "judged": [item.id for item in arm.suite.tasks if item.rubric is not None],
            RUBRICS: rubrics_of(arm.suite),
            PAIRWISE: [item.id for item in arm.suite.tasks if item.pairwise],
            "round": round.number,
            "rounds": round.rounds,
            "seed": round.seed,
            "watch": round.watch,
            "interleaved": round.interleaved,
            "registration": round.registration,
            "start": round.start,
            "before": None if round.before is None else list(round.before.get(arm.name, ())),
            "attempt": round.attempt,
            # npm's hash of the client; None if it came from PATH, or if the agent has no client.
            "agent_integrity": getattr(arm.agent, "integrity", None),
        },
    )
