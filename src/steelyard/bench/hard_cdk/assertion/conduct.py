"""Clauses about what deployed resources do: when they are created, how workflows run, where requests go."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from steelyard.bench.cdk_synth.intent.requirement import Conditions, Strict

Some = Annotated[tuple[str, ...], Field(min_length=1)]


class Wait(Strict):
    """A resource, by its `place`, and what must, or must not, exist before it is created."""

    later: str
    earlier: str = ""
    waits: bool = True
    """False: no chain of references and dependencies leads from the one to the other."""
    every: str | Some | None = None
    """Types of further earlier resources: all of them that match `where`."""
    where: Conditions = Field(default_factory=dict)


class WaitsClause(Strict):
    """The order in which resources are created."""

    waits: Annotated[tuple[Wait, ...], Field(min_length=1)]


class Execution(Strict):
    """An execution of a state machine and how it must end."""

    input: Any
    outcomes: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)
    """ARN of a function → what its calls give in turn: `{"returns": value}` or `{"fails": error}`."""
    output: Any = None
    error: str | None = None
    """The error with which it must fail; None: it succeeds with `output`."""
    calls: dict[str, int] | None = None
    """ARN of a function → how often it must be called; None: not checked."""
    seconds: float | None = None
    """How long it must wait in all; None: not checked."""


class ExecutionsClause(Strict):
    """What a state machine does with inputs."""

    executions: str
    """ARN of the state machine."""
    runs: Annotated[tuple[Execution, ...], Field(min_length=1)]


class StatesClause(Strict):
    """How a state machine is made."""

    states: str
    """ARN of the state machine."""
    at_most: int
    """How many states it may have, those inside `Map` and `Parallel` included."""
    types: Some
    """Types that its states may have."""


class Visit(Strict):
    """A request to a listener and the target group that must get it."""

    listener: str
    """ARN of the listener."""
    to: str
    """ARN of the target group."""
    host: str = "example.com"
    path: str = "/"
    method: str = "GET"
    headers: dict[str, str] = Field(default_factory=dict)
    source: str = "203.0.113.9"


class VisitsClause(Strict):
    """Where a listener sends requests."""

    visits: Annotated[tuple[Visit, ...], Field(min_length=1)]
