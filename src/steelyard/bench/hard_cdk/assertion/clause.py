"""The assertions of the hard CDK items: facts about the deployed app, as data.

An assertion is an `id`, a `message` for people, and one clause, which its key tells from the others
(docs/datasets/hard_cdk.md). Those of the intent language hold on the deployed resources, whose values are resolved.

`${name.path}` in a text is a value of the one resource that the item binds to `name`: `ref`, `arn`, `name`, `stack`,
a property or an attribute. An assertion that uses a name bound to no resource, or to several, does not hold.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Tag

from steelyard.bench.cdk_synth.intent.requirement import (
    AbsentClause,
    AllOfClause,
    AnyOfClause,
    Conditions,
    Count,
    Obligation,
    ResourceClause,
    StacksClause,
    Strict,
    by_key,
)

Some = Annotated[tuple[str, ...], Field(min_length=1)]


class Binding(Strict):
    """Gives a name to the one resource that matches."""

    type: str | Some
    """CloudFormation type, or several equivalent ones."""
    where: Conditions = Field(default_factory=dict)
    """Conditions on its resolved properties."""
    stack: str | None = None
    """Only in this stack."""


class Request(Strict):
    """One or more requests of a principal."""

    principal: str
    """ARN of a role of the app, `known:ARN` of one that exists already, `service:NAME`, `account:ID` (a role there),
    `anyone`, or `boundary:ARN`, which asks what a managed policy by itself allows."""
    action: str | Some
    resource: str
    """ARN of what the action is for."""
    context: dict[str, str | Some] = Field(default_factory=dict)
    """Condition keys of the request and their values."""

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions; each is a request of its own."""
        return (self.action,) if isinstance(self.action, str) else self.action


class RequestsClause(Strict):
    """Requests and the answer that IAM must give."""

    allow: tuple[Request, ...] = ()
    deny: tuple[Request, ...] = ()


class OrderClause(Strict):
    """Which stacks depend on each other."""

    order: Some = ()
    """Each is deployed before the next one, because that one depends on it."""
    independent: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)] = ()
    """The first of a pair can be deployed without the second."""


class ExportsClause(Strict):
    """What a stack exports."""

    exports: str
    """Name of the stack."""
    count: Count = Count()
    """How many it may have."""
    values: tuple[str, ...] = ()
    """Each export must have one of these values, if any are given."""


class ImportsClause(Strict):
    """The stack reads exports of other stacks."""

    imports: str
    """Name of the importing stack."""
    sources: Some
    """Stacks from each of which it imports something."""


class KeptClause(Strict):
    """Resources of the original app that the update must neither remove nor replace."""

    kept: Some
    """Their types."""
    where: Conditions = Field(default_factory=dict)
    """Only those that match in the original."""
    unchanged: tuple[str, ...] = ()
    """Properties that must not change at all; `*` for all of them."""
    count: Count = Count(min=1)
    """How many the original has; a guard against a clause that checks nothing."""


class SumClause(Strict):
    """A property that must come to so much over all resources of a type, each of which must have it."""

    sum: str
    """Path of the property."""
    over: str | Some
    """Types of the resources."""
    total: float


class BlocksClause(Strict):
    """Address blocks that do not overlap."""

    blocks: str
    """Path of the property that holds them."""
    over: str | Some
    """Types of the resources."""
    within: str
    """The block in which each of them lies."""


class Delivery(Strict):
    """An event and the targets it must, or must not, reach."""

    event: dict[str, Any]
    to: tuple[str, ...] = ()
    """ARNs of targets that must receive it."""
    not_to: tuple[str, ...] = ()
    """ARNs of targets that must not."""


class EventsClause(Strict):
    """What the rules of an event bus deliver."""

    events: Annotated[tuple[Delivery, ...], Field(min_length=1)]
    bus: str = "default"
    """Name of the bus."""


class FiltersClause(Strict):
    """Which records the event source mappings of a function let through."""

    filters: str
    """Name of the function."""
    match: tuple[dict[str, Any], ...] = ()
    """Records that must reach it."""
    no_match: tuple[dict[str, Any], ...] = ()
    """Records that must not."""


class PolicyClause(Strict):
    """How large the policies of a role or another resource are, all of them together, or a managed policy is."""

    policy: str
    """ARN of the role, the managed policy or the resource."""
    statements: Count = Count()
    resources: Count = Count()
    """Entries of `Resource` and `NotResource`."""
    conditions: Count = Count()
    """Values in conditions."""
    effects: tuple[Literal["Allow", "Deny"], ...] = ("Allow", "Deny")
    """What a statement may do."""


class Place(Strict):
    """Resources and the construct they belong to."""

    each: str | Some
    """Their types."""
    where: Conditions = Field(default_factory=dict)
    under: str
    """Path of the construct, from the stack on; the resource is the construct or below it."""
    count: Count = Count(min=1)


class PathsClause(Strict):
    """Where resources are in the tree of constructs, by the `aws:cdk:path` of their metadata."""

    paths: Annotated[tuple[Place, ...], Field(min_length=1)]


class Execution(Strict):
    """An execution of a state machine and how it must end."""

    input: Any
    output: Any = None
    error: str | None = None
    """The error with which it must fail; None: it succeeds with `output`."""


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


class VisitsClause(Strict):
    """Where a listener sends requests."""

    visits: Annotated[tuple[Visit, ...], Field(min_length=1)]


class Case(Strict):
    """Values of parameters and what must hold with them."""

    given: Annotated[dict[str, str], Field(min_length=1)]
    """Parameter → its value; every stack that declares the parameter gets it."""
    refused: bool = False
    """Whether CloudFormation must refuse these values; there is nothing else to hold then."""
    then: tuple[AssertionClause, ...] = ()


class CasesClause(Strict):
    """The app deployed with other values of its parameters, once per case."""

    cases: Annotated[tuple[Case, ...], Field(min_length=1)]


_KEYS = ("kept", "resource", "absent", "stacks", "any_of", "all_of", "allow", "deny", "order", "independent", "exports",
         "imports", "sum", "blocks", "events", "filters", "policy", "paths", "executions", "states", "visits",
         "cases")  # fmt: skip
AssertionClause = Annotated[
    Annotated[KeptClause, Tag("kept")]
    | Annotated[ResourceClause, Tag("resource")]
    | Annotated[AbsentClause, Tag("absent")]
    | Annotated[StacksClause, Tag("stacks")]
    | Annotated[AnyOfClause, Tag("any_of")]
    | Annotated[AllOfClause, Tag("all_of")]
    | Annotated[RequestsClause, Tag("allow")]
    | Annotated[RequestsClause, Tag("deny")]
    | Annotated[OrderClause, Tag("order")]
    | Annotated[OrderClause, Tag("independent")]
    | Annotated[ExportsClause, Tag("exports")]
    | Annotated[ImportsClause, Tag("imports")]
    | Annotated[SumClause, Tag("sum")]
    | Annotated[BlocksClause, Tag("blocks")]
    | Annotated[EventsClause, Tag("events")]
    | Annotated[FiltersClause, Tag("filters")]
    | Annotated[PolicyClause, Tag("policy")]
    | Annotated[PathsClause, Tag("paths")]
    | Annotated[ExecutionsClause, Tag("executions")]
    | Annotated[StatesClause, Tag("states")]
    | Annotated[VisitsClause, Tag("visits")]
    | Annotated[CasesClause, Tag("cases")],
    by_key(*_KEYS),
]
"""Any clause."""

RESERVED: Literal["deploys"] = "deploys"
"""Id of the assertion that every item has: CloudFormation would accept the app."""


class Assertion(Obligation):
    """One fact that must hold."""

    clause: AssertionClause
    """What must hold, for the evaluator; in the data its keys are next to `id` and `message`."""


Case.model_rebuild()
CasesClause.model_rebuild()
Assertion.model_rebuild()
