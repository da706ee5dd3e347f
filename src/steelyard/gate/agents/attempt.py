"""What every agent has in common: who it is, what it needs, and how one attempt ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from steelyard.gate.model import Cost
from steelyard.gate.tree import Tree

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

Telemetry = Literal["claimed", "trusted"]


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """Which agent, as a person asked for it."""

    name: str
    command: tuple[str, ...] = ()
    """Program and arguments, for `command`."""
    model: str | None = None
    environment: tuple[str, ...] = ()
    """Names of further variables the agent may see."""
    network: Literal["none", "host"] | None = None
    """None: what the agent needs."""
    telemetry: Telemetry = "claimed"


@dataclass(frozen=True, slots=True)
class Job:
    """One task for an agent."""

    prompt: str
    config: Tree
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one attempt ended. An error is the agent's own: a failed run, never a cheap one."""

    answer: str = ""
    """What it said last."""
    error: str | None = None
    cost: Cost = field(default_factory=Cost)
    claimed: tuple[str, ...] = ()
    """Metrics that rest on the agent's word alone."""
    transcript: str = ""
    """What it printed, for a reader."""


class ProviderFault(RuntimeError):
    """What the agent runs on could not be reached: our side of the table, so the run is unscored."""


class TelemetryFault(RuntimeError):
    """Telemetry that is negative, not finite or not numbers: a fault of the harness (docs/scoring.md §3.1)."""


class Agent(Protocol):
    """An agent that is there and can be run."""

    name: str
    version: str
    network: Literal["none", "host"]
    binds: Mapping[str, str]
    """Path inside → path on the host, read-only."""
    identity: str
    """Hash of what makes this agent the same agent in both arms."""

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        """Do the job; raises `ProviderFault`, `TelemetryFault` or `SandboxError` for what is not its own failure."""
        ...
