"""The assertions of the hard CDK items: facts about the deployed app, as data.

An assertion is an `id`, a `message` for people, and one clause, recognised by its key. The clauses of the intent
language (`resource`, `absent`, `stacks`, `any_of`, `all_of`) hold on the deployed resources, whose values are all
resolved. The others:

- `allow`, `deny`: requests that IAM must allow, and requests that it must refuse (`iam`).
- `order`: stacks in the order of their deployment. `independent`: pairs whose first does not depend on the second.
- `exports`: what a stack exports. `imports`: the stack imports from these stacks.
- `kept`: resources of the app in the prompt that must survive the update (`migration`).
- `reach`: which security group can open a connection to which (`network`). `cidrs`: a plan of address blocks.
- `measure`: a sum over resources within bounds (`measure`).
- `policy`: how large the policies of a role or resource are (`policies`).
- `paths`: where resources are in the tree of constructs.
- `events`: which events a bus delivers to a target; `filters`: which records reach a function (`event`).
- `waits`: which resource is created after which. `executions`: how runs of a state machine end;
  `states`: how many states of which types it has (`workflow`).
- `visits`: where a listener sends requests (`traffic`).
- `cases`: what holds when parameters of the templates have other values than their defaults.

`${name.path}` in a text is a value of the one resource that the item binds to `name`: `ref`, `arn`, `name`, `stack`,
a property or an attribute. An assertion that uses a name bound to no resource, or to several, does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag

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
)
from steelyard.bench.hard_cdk.assertion.conduct import (
    ExecutionsClause,
    Some,
    StatesClause,
    VisitsClause,
    WaitsClause,
)


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
    `federated:ARN`, `anyone`, or `boundary:ARN`, which asks what a managed policy by itself allows."""
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
    """Each stack is deployed before the next one, because that one depends on it."""

    order: Some


class IndependentClause(Strict):
    """The first stack of a pair can be deployed without the second."""

    independent: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)]


class ExportsClause(Strict):
    """What a stack exports."""

    exports: str
    """Name of the stack."""
    names: tuple[str, ...] = ()
    """Exports that it must have."""
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
    exports: bool = False
    """Whether every export that a stack of the original imports must stay."""
    count: Count = Count(min=1)
    """How many the original has; a guard against a clause that checks nothing."""


class Connection(Strict):
    """A connection between two network ends."""

    source: str
    """Id of a security group."""
    target: str
    """Id of a security group."""
    port: int
    open: bool = True
    """Whether it must be possible."""


class ReachClause(Strict):
    """Connections that must be possible, or must not."""

    reach: Annotated[tuple[Connection, ...], Field(min_length=1)]


class Factor(Strict):
    """A factor of a term: a property's value, or a price for it."""

    path: str
    default: float | None = None
    """Without the property; None: the assertion does not hold."""
    table: dict[str, float] | None = None
    """Value of the property → number."""
    addresses: bool = False
    """Whether the value is an address block and the factor the number of its addresses."""
    elements: bool = False
    """Whether the value is a list and the factor the number of its elements."""


class Term(Strict):
    """A sum over resources: for each one the product of its factors."""

    each: str | Some
    """Their types."""
    where: Conditions = Field(default_factory=dict)
    of: tuple[float | Factor, ...] = (1.0,)
    """A factor that leads to several values counts as their sum."""


class MeasureClause(Strict):
    """A number computed from the resources, within bounds."""

    measure: Annotated[tuple[Term, ...], Field(min_length=1)]
    at_least: float | None = None
    at_most: float | None = None


class Source(Strict):
    """Where address blocks come from."""

    each: str | Some
    path: str
    where: Conditions = Field(default_factory=dict)


class CidrsClause(Strict):
    """Address blocks that do not overlap."""

    cidrs: Annotated[tuple[Source, ...], Field(min_length=1)]
    within: tuple[str, ...] = ()
    """Each must lie within one of these, if any."""
    apart: tuple[str, ...] = ()
    """None may overlap one of these."""


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
    actions: Count = Count()
    """Entries of `Action` and `NotAction`."""
    conditions: Count = Count()
    """Values in conditions."""
    characters: Count = Count()
    """Length of the documents, with all names filled in and without white space."""
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


KINDS: Mapping[str, type[Strict]] = {
    "resource": ResourceClause,
    "absent": AbsentClause,
    "stacks": StacksClause,
    "any_of": AnyOfClause,
    "all_of": AllOfClause,
    "allow": RequestsClause,
    "deny": RequestsClause,
    "order": OrderClause,
    "independent": IndependentClause,
    "exports": ExportsClause,
    "imports": ImportsClause,
    "kept": KeptClause,
    "reach": ReachClause,
    "measure": MeasureClause,
    "cidrs": CidrsClause,
    "events": EventsClause,
    "filters": FiltersClause,
    "policy": PolicyClause,
    "paths": PathsClause,
    "waits": WaitsClause,
    "executions": ExecutionsClause,
    "states": StatesClause,
    "visits": VisitsClause,
    "cases": CasesClause,
}
"""Key → the clause it names; the first key that is present decides, with `kept` before `exports`."""
_DECIDING = ("kept", *(key for key in KINDS if key != "kept"))


def clause_kind(data: object) -> str | None:
    """Which clause `data` is, by its key."""
    if isinstance(data, BaseModel):
        return next((model.__name__ for model in KINDS.values() if type(data) is model), None)
    key = next((key for key in _DECIDING if isinstance(data, Mapping) and key in data), None)
    return KINDS[key].__name__ if key else None


AssertionClause = Annotated[
    Annotated[ResourceClause, Tag("ResourceClause")]
    | Annotated[AbsentClause, Tag("AbsentClause")]
    | Annotated[StacksClause, Tag("StacksClause")]
    | Annotated[AnyOfClause, Tag("AnyOfClause")]
    | Annotated[AllOfClause, Tag("AllOfClause")]
    | Annotated[RequestsClause, Tag("RequestsClause")]
    | Annotated[OrderClause, Tag("OrderClause")]
    | Annotated[IndependentClause, Tag("IndependentClause")]
    | Annotated[ExportsClause, Tag("ExportsClause")]
    | Annotated[ImportsClause, Tag("ImportsClause")]
    | Annotated[KeptClause, Tag("KeptClause")]
    | Annotated[ReachClause, Tag("ReachClause")]
    | Annotated[MeasureClause, Tag("MeasureClause")]
    | Annotated[CidrsClause, Tag("CidrsClause")]
    | Annotated[EventsClause, Tag("EventsClause")]
    | Annotated[FiltersClause, Tag("FiltersClause")]
    | Annotated[PolicyClause, Tag("PolicyClause")]
    | Annotated[PathsClause, Tag("PathsClause")]
    | Annotated[WaitsClause, Tag("WaitsClause")]
    | Annotated[ExecutionsClause, Tag("ExecutionsClause")]
    | Annotated[StatesClause, Tag("StatesClause")]
    | Annotated[VisitsClause, Tag("VisitsClause")]
    | Annotated[CasesClause, Tag("CasesClause")],
    Discriminator(clause_kind),
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
