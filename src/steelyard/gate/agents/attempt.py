"""What all agents share: who an agent is, what it needs, and how one attempt ended."""

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
    """Which agent to use, and how."""

    name: str
    command: tuple[str, ...] = ()
    """Program and arguments, for `command`."""
    model: str | None = None
    environment: tuple[str, ...] = ()
    """Names of further variables the agent may see."""
    network: Literal["none", "host"] | None = None
    """None: whatever the agent needs."""
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
    """Its final answer."""
    error: str | None = None
    cost: Cost = field(default_factory=Cost)
    claimed: tuple[str, ...] = ()
    """Metrics that only the agent itself reported."""
    transcript: str = ""
    """Its output, for a reader."""


class ProviderFault(RuntimeError):
    """The agent's provider could not be reached: not the agent's failure, so the run is unscored."""


class TelemetryFault(RuntimeError):
    """Telemetry that is negative, not finite or not numbers: a fault of the harness (docs/scoring.md §3.1)."""


class Agent(Protocol):
    """An agent that is installed and can be run."""

    name: str
    version: str
    network: Literal["none", "host"]
    binds: Mapping[str, str]
    """Path inside → path on the host, read-only."""
    identity: str
    """Equal in both arms if the agent is the same."""

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        """Do the job; `ProviderFault`, `TelemetryFault` and `SandboxError` are not the agent's own failure."""
        ...
