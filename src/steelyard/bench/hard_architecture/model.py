"""The data of one task: the text for the subject, and the facts that a right answer states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

CANARY = "steelyard-hard-architecture canary d3c8a9e4-51b2-4f76-8a0d-97e6c4b1f35a"
"""Included in every row of the data: a training corpus that contains this string contains the dataset."""

Kind = Literal["choice", "number", "set", "yes_no"]
Value: TypeAlias = bool | int | float | str | list[str]
"""What a fact can be: an option, a number, a set of options, or yes or no."""
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class FactRow(BaseModel):
    """Immutable and strictly typed; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Fact(FactRow):
    """One fact that the subject is asked for."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]
    """The field of the answer's JSON object."""
    ask: Text
    """What the field holds, as the subject reads it."""
    kind: Kind
    options: list[Text]
    """The words to choose from; empty for numbers and for yes or no."""
    value: Value
    """The right value. The decimals of a number are those that the subject is asked for."""
    trap: bool
    """Whether a wrong value costs a fact that is right."""
    why: Text
    """Why the value is right."""

    @model_validator(mode="after")
    def _consistent(self) -> Fact:
        if not _fits(self.kind, self.value, self.options):
            raise ValueError(f"{self.name}: the value does not fit a {self.kind}")
        return self


class WrongFacts(FactRow):
    """A reference with some wrong facts: where a typical mistake leads."""

    changes: Mapping[str, Value]
    """Field → the wrong value."""
    why: Text
    """The mistake."""


class FactsMetadata(FactRow):
    """Everything about a task besides its text; of this the subject sees the diagram and what is asked."""

    subtype: Text
    difficulty: Literal["hard"]
    domain: Text
    aws_services: Annotated[list[Text], Field(min_length=1)]
    diagram: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None
    """Base name of the PNG and the text under `diagrams/`; null if the task's text holds the architecture."""
    facts: Annotated[list[Fact], Field(min_length=6)]
    near_misses: Annotated[list[WrongFacts], Field(min_length=2)]
    as_of: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")]
    """Month in which the facts were last checked."""
    canary: str


class FactsItem(FactRow):
    """One task."""

    id: Annotated[str, Field(pattern=r"^ha-\d{3}$")]
    input: Text
    metadata: FactsMetadata

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in the order in which they are asked for."""
        return tuple(self.metadata.facts)

    @property
    def values(self) -> dict[str, Value]:
        """Field → right value."""
        return {fact.name: fact.value for fact in self.facts}

    @model_validator(mode="after")
    def _complete(self) -> FactsItem:
        facts = {fact.name: fact for fact in self.facts}
        if len(facts) != len(self.metadata.facts):
            raise ValueError("metadata.facts: names must be unique")
        if self.metadata.canary != CANARY:
            raise ValueError("metadata.canary: must be the canary of this dataset")
        for miss in self.metadata.near_misses:
            for name, value in miss.changes.items():
                if name not in facts or value == facts[name].value:
                    raise ValueError(f"metadata.near_misses: {name} is not a wrong fact of this task")
        return self


def _fits(kind: Kind, value: Value, options: list[str]) -> bool:
    if kind == "yes_no":
        return isinstance(value, bool) and not options
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and not options
    if kind == "set":
        return isinstance(value, list) and set(value) <= set(options) and len(set(options)) == len(options)
    return value in options and len(set(options)) == len(options)
