"""What all agents share: who an agent is, what it needs, and how one attempt ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from steelyard.gate.agents.tool_call import ToolCall, ToolUse
from steelyard.gate.model import Cost
from steelyard.sandbox.limits import Limits
from steelyard.tree import Tree

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

Telemetry = Literal["claimed", "trusted"]

FINAL_STATUSES = frozenset({401, 402, 403, 404})
"""HTTP statuses after which no further call succeeds: a client that tries again only waits for its time to be up."""


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
    direct: bool = False
    """Whether a command-line agent calls its provider itself, with its own key and the host's network."""
    version: str | None = None
    """The version the agent must have; None accepts any."""
    sandbox: str = "bubblewrap"
    """Where it works, and where commands of checks run: see `sandbox.choose`."""


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
    seconds: float | None = None
    """How long its program ran; None if only the whole attempt was timed."""
    uses: tuple[ToolUse, ...] | None = None
    """The tools it used, with those of its subagents; None if they cannot be read."""
    commands: tuple[str, ...] = ()
    """Skills that the prompt itself calls, in the client's own way."""
    by_title: bool = False
    """Whether the client takes only the names in the front matter of skills for such calls."""
    model_calls: int | None = None
    """Calls to a model that succeeded; None if nobody counted them."""
    calls: tuple[ToolCall, ...] | None = None
    """The tools it called, in order; None if that is unknown, or only a claim of the agent itself."""
    hooks: frozenset[str] | None = None
    """Events for which the client ran a hook; None if it does not say."""
    requests: frozenset[str] = frozenset()
    """The lines of all requests to the model; empty if nobody saw them."""
    models: tuple[str, ...] = ()
    """The models that answered, by the names that their provider gave; empty if unknown."""


class ProviderFault(RuntimeError):
    """The agent's provider could not be reached: not the agent's failure, so the run is unscored.

    `lasting` if no wait mends it: a wrong key, an empty account.
    """

    def __init__(self, reason: str, *, lasting: bool = False) -> None:
        super().__init__(reason)
        self.lasting = lasting


class HarnessFault(RuntimeError):
    """A call to the model failed in this process: neither the agent's failure nor the provider's."""


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
    uses_model: bool
    """Whether its model calls go to the model of the evaluation."""
    limits: Limits
    """What its sandbox may use."""

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        """Do the job. `ProviderFault`, `HarnessFault`, `TelemetryFault`, `BudgetSpent` and `SandboxError` are not the
        agent's failure."""
        ...
