"""The language of intent: what a requirement on synthesized CloudFormation templates can say.

A requirement is an `id`, a `message` for people, and one clause. The clause is told by its key:

- `resource`: how many resources of a type have these properties. `where` picks the candidates, `properties` is what is
  asked of them; `count` of them (at least one, if unsaid) must comply, and with `every` all candidates must.
- `absent`: no resource of that type has these properties.
- `relation`: `references`, `triggers`, `may`, `may_not` or `reaches` between a source and a target.
- `stacks`: how many stacks hold a resource of a type.
- `any_of`, `all_of`: clauses combined.

A property path is dotted (`VersioningConfiguration.Status`) and looks into every element of a list on its way, or
into one of them by its number (`Stages.0.Name`); a path that starts with `$` names an attribute of the resource
(`$DeletionPolicy`). Patterns are in `pattern`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from steelyard.bench.cdk_synth.intent.pattern import pattern

Checked = Annotated[Any, BeforeValidator(pattern)]
"""A pattern whose operators are known; see `pattern.OPERATORS`."""
Conditions = dict[str, Checked]
"""Property path to pattern; all must hold."""


class Strict(BaseModel):
    """Frozen, and closed to keys nobody defined."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Count(Strict):
    """How many are asked for, both ends included."""

    min: int = Field(default=0, ge=0)
    """Fewest that hold."""
    max: int | None = None
    """Most that hold; none means no upper end."""

    @model_validator(mode="before")
    @classmethod
    def exact(cls, data: object) -> object:
        """A bare number asks for exactly that many."""
        return {"min": data, "max": data} if isinstance(data, int) else data

    def admits(self, number: int) -> bool:
        """Whether `number` lies inside."""
        return self.min <= number and (self.max is None or number <= self.max)


SOME = Count(min=1)
"""At least one."""


class ResourceClause(Strict):
    """Resources of a type that have these properties."""

    resource: str | tuple[str, ...]
    """CloudFormation type, or several that serve alike."""
    where: Conditions = {}
    """Which of them are meant."""
    properties: Conditions = {}
    """What is asked of those."""
    count: Count = SOME
    """How many must comply."""
    every: bool = False
    """Whether all that are meant must comply."""


class AbsentClause(Strict):
    """No resource of a type has these properties."""

    absent: str | tuple[str, ...]
    """CloudFormation type, or several."""
    where: Conditions = {}
    """What none of them may show."""


class RelationClause(Strict):
    """One resource stands in a relation to another; see `relation` for each law."""

    relation: Literal["references", "triggers", "may", "may_not", "reaches"]
    """Which relation."""
    source: str | tuple[str, ...]
    """Type of what refers, triggers, acts or connects."""
    source_where: Conditions = {}
    """Which sources are meant."""
    target: str | tuple[str, ...] = "*"
    """Type of the other end; `*` is anything."""
    target_where: Conditions = {}
    """Which targets are meant."""
    path: str = ""
    """Where in the source the reference stands; for `may`, where its role stands. Empty: anywhere."""
    actions: tuple[str, ...] = ()
    """IAM actions, for `may` (all of them) and `may_not` (none of them)."""
    scoped: bool = False
    """For `may`: the grant must name the target, not `*`."""
    port: int | None = None
    """TCP port, for `reaches`."""
    via: Conditions = {}
    """What the connecting resource must show, for `triggers`."""
    across: bool = False
    """Whether source and target must live in different stacks."""
    every: bool = False
    """Whether all sources must stand in the relation, not just `count` of them."""
    count: Count = SOME
    """How many sources must stand in the relation."""
    targets: Count = SOME
    """How many different targets must be met by those sources together."""


class StacksClause(Strict):
    """How many stacks there are that hold a resource."""

    stacks: Count
    """How many."""
    holding: str | tuple[str, ...] = "*"
    """Type one of which makes a stack count."""
    where: Conditions = {}
    """Which resources of that type."""
    name: Checked = {"any": True}
    """Pattern for the name of the stack."""


class AnyOfClause(Strict):
    """At least one of several clauses holds."""

    any_of: tuple[Clause, ...] = Field(min_length=1)
    """The ways to meet the requirement."""


class AllOfClause(Strict):
    """Every one of several clauses holds."""

    all_of: tuple[Clause, ...] = Field(min_length=1)
    """The parts of the requirement."""


KEYS = ("resource", "absent", "relation", "stacks", "any_of", "all_of")
"""The key that tells the clause."""


def told(data: object) -> str | None:
    """Which clause `data` is, by its key."""
    if isinstance(data, BaseModel):
        return next((key for key in KEYS if key in type(data).model_fields), None)
    return next((key for key in KEYS if isinstance(data, Mapping) and key in data), None)


Clause = Annotated[
    Annotated[ResourceClause, Tag("resource")]
    | Annotated[AbsentClause, Tag("absent")]
    | Annotated[RelationClause, Tag("relation")]
    | Annotated[StacksClause, Tag("stacks")]
    | Annotated[AnyOfClause, Tag("any_of")]
    | Annotated[AllOfClause, Tag("all_of")],
    Discriminator(told),
]
"""Any clause."""


class Requirement(Strict):
    """One thing the prompt asked for, checkable on the templates."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    """Unique within its item."""
    message: str = Field(min_length=8)
    """What must hold, for people."""
    clause: Clause
    """What must hold, for the evaluator; in the data its keys stand beside `id` and `message`."""

    @model_validator(mode="before")
    @classmethod
    def gathered(cls, data: object) -> object:
        """Move the keys of the clause under `clause`."""
        if not isinstance(data, Mapping) or "clause" in data:
            return cast(object, data)
        given = cast(Mapping[str, Any], data)
        clause = {key: value for key, value in given.items() if key not in ("id", "message")}
        return {key: given[key] for key in ("id", "message") if key in given} | {"clause": clause}


AnyOfClause.model_rebuild()
AllOfClause.model_rebuild()
Requirement.model_rebuild()
