"""The requirements language: conditions on synthesized CloudFormation templates.

A requirement is an `id`, a `message` for people, and one clause, which its key tells from the others
(docs/datasets/cdk_synth.md). A property path is dotted (`VersioningConfiguration.Status`) and looks into every element
of a list on its way, or into one of them by its index (`Stages.0.Name`); one that starts with `$` names an attribute of
the resource (`$DeletionPolicy`). Patterns are in `pattern`.

Clauses that name their resource with the same `of` (or `target_of`) are about one and the same resource: the one in the
templates with which most requirements of the item hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
    model_validator,
)

from steelyard.bench.cdk_synth.intent.pattern import pattern, property_path

Checked = Annotated[Any, BeforeValidator(pattern)]
"""A pattern with known operators; see `pattern.OPERATORS`."""
PropertyPath = Annotated[str, AfterValidator(property_path)]
"""A dotted path without brackets."""
Conditions = dict[PropertyPath, Checked]
"""Property path → pattern; all must hold."""


class Strict(BaseModel):
    """Frozen; unknown keys are errors, and what is not said is left out of the data: a dataset's hash stays the same
    when the language learns a new word."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_serializer(mode="wrap")
    def _as_said(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in dump(self).items() if key in self.model_fields_set}


class Count(Strict):
    """A required number, as an inclusive range."""

    min: int = Field(default=0, ge=0)
    """Smallest number allowed."""
    max: int | None = None
    """Largest number allowed; None means no upper limit."""

    @model_validator(mode="before")
    @classmethod
    def exact(cls, data: object) -> object:
        """A bare number means exactly that many."""
        return {"min": data, "max": data} if isinstance(data, int) else data

    def admits(self, number: int) -> bool:
        """Whether `number` is in the range."""
        return self.min <= number and (self.max is None or number <= self.max)


SOME = Count(min=1)
"""At least one."""


class ResourceClause(Strict):
    """Resources of a type that have these properties."""

    resource: str | tuple[str, ...]
    """CloudFormation type, or several equivalent ones."""
    where: Conditions = {}
    """Selects the candidates."""
    properties: Conditions = {}
    """Conditions on the candidates."""
    count: Count = SOME
    """How many must comply."""
    every: bool = False
    """Whether all candidates must comply."""
    distinct: PropertyPath = ""
    """Resources with the same value at this path count as one; those without a value never do. Empty: each counts."""
    of: str = ""
    """Name of the one resource that all clauses of the item with this name are about; empty: any."""


class AbsentClause(Strict):
    """No resource of a type has these properties."""

    absent: str | tuple[str, ...]
    """CloudFormation type, or several."""
    where: Conditions = {}
    """Conditions that none of them may meet."""


class RelationClause(Strict):
    """One resource has a relation to another; see `relation` for the definitions."""

    relation: Literal["references", "triggers", "may", "may_not", "may_only", "reaches"]
    """Which relation."""
    source: str | tuple[str, ...]
    """Type of the resource that refers, triggers, acts or connects."""
    source_where: Conditions = {}
    """Selects the sources."""
    target: str | tuple[str, ...] = "*"
    """Type of the other end; `*` is anything."""
    target_where: Conditions = {}
    """Selects the targets."""
    path: PropertyPath = ""
    """Path to the reference in the source; for `may`, to its role. Empty: anywhere."""
    actions: tuple[str, ...] = ()
    """IAM actions, for `may` (all of them), `may_not` (none of them) and `may_only` (no others of their service)."""
    service: str = ""
    """For `may`: the service (`events`) that acts for the source by policies on the target; empty: its role."""
    scoped: bool = False
    """For `may`: the grant must name the target, not `*`."""
    port: int | None = None
    """TCP port, for `reaches`."""
    apart: bool = False
    """For `reaches`: a group of the source that the target does not have must be admitted."""
    via: Conditions = {}
    """Conditions on the connecting resource, for `triggers`."""
    across: bool = False
    """Whether source and target must be in different stacks."""
    every: bool = False
    """Whether all sources must have the relation, not just `count` of them."""
    added: bool = False
    """Whether resources that the CDK adds for its own custom resources count as sources too."""
    count: Count = SOME
    """How many sources must have the relation."""
    targets: Count = SOME
    """How many different targets those sources must reach together."""
    distinct: PropertyPath = ""
    """Targets with the same value at this path count as one, as in `ResourceClause`."""
    of: str = ""
    """Name of the one resource that must be the source; see `ResourceClause.of`."""
    target_of: str = ""
    """Name of the one resource that must be the target."""


class StacksClause(Strict):
    """How many stacks contain a certain resource."""

    stacks: Count
    """How many."""
    holding: str | tuple[str, ...] = "*"
    """Resource type that a stack must contain to count."""
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


def by_key(*keys: str) -> Discriminator:
    """Tells the clauses of a union apart by the first of these keys that the data has; the keys are their tags."""

    def key_of(data: object) -> str | None:
        fields = type(data).model_fields if isinstance(data, BaseModel) else data
        return next((key for key in keys if isinstance(fields, Mapping) and key in fields), None)

    message = f"needs one of the keys {', '.join(keys)}"
    return Discriminator(key_of, custom_error_type="clause", custom_error_message=message)


Clause = Annotated[
    Annotated[ResourceClause, Tag("resource")]
    | Annotated[AbsentClause, Tag("absent")]
    | Annotated[RelationClause, Tag("relation")]
    | Annotated[StacksClause, Tag("stacks")]
    | Annotated[AnyOfClause, Tag("any_of")]
    | Annotated[AllOfClause, Tag("all_of")],
    by_key("resource", "absent", "relation", "stacks", "any_of", "all_of"),
]
"""Any clause."""


class Obligation(Strict):
    """Something that must hold, in words; a subclass adds the clause that an evaluator decides."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    """Unique within its item."""
    message: str = Field(min_length=8)
    """What must hold, for people."""

    @model_validator(mode="before")
    @classmethod
    def gathered(cls, data: object) -> object:
        """Move the keys of the clause under `clause`."""
        if not isinstance(data, Mapping) or "clause" in data:
            return data
        fields = cast(Mapping[str, Any], data)
        clause = {key: value for key, value in fields.items() if key not in ("id", "message")}
        return {key: fields[key] for key in ("id", "message") if key in fields} | {"clause": clause}


class Requirement(Obligation):
    """One requirement of the prompt that can be checked on the templates."""

    clause: Clause
    """What must hold, for the evaluator; in the data its keys are next to `id` and `message`."""


AnyOfClause.model_rebuild()
AllOfClause.model_rebuild()
Requirement.model_rebuild()
