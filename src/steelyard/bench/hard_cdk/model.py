"""The data model of a hard CDK task: a prompt, and assertions on what the answer would deploy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from steelyard.bench.cdk_synth.intent.requirement import Strict
from steelyard.bench.cdk_synth.model import Edit, Text, Texts
from steelyard.bench.hard_cdk.assertion.clause import RESERVED, Assertion, Binding
from steelyard.bench.hard_cdk.plain import PLAIN

CANARY = "fefba314-d434-4b83-a6cd-40a986e98c0a"
"""In every row of the data: a training corpus that contains this string contains the dataset."""

Kind = Literal["wiring", "privilege", "repair", "migration", "limits"]
"""Cross-stack wiring, least privilege, broken apps, migrations, cost and limits."""
HardId = Annotated[str, Field(pattern=r"^hcdk-\d{3}$")]
GIVEN: tuple[Kind, ...] = ("repair", "migration")
"""Kinds whose prompt contains an app."""


class HardMetadata(Strict):
    """Everything about a task that the subject does not see."""

    kind: Kind
    difficulty: Literal["hard"]
    title: Text
    """The task in a few words."""
    domains: Texts
    """Fields of work: `networking`, `security`, …"""
    aws_services: Texts
    """Services the reference uses."""
    trap: Text
    """What a hasty answer gets wrong."""
    as_of: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")]
    """Month in which the task was last checked against the pinned CDK."""
    canary: Literal["fefba314-d434-4b83-a6cd-40a986e98c0a"]
    stacks: Texts
    """Names of the stacks that are deployed; the prompt names them."""
    bind: dict[str, Binding] = Field(default_factory=dict)
    """Name → the resource that assertions call by it."""
    assertions: Annotated[tuple[Assertion, ...], Field(min_length=2)]
    """What must hold; the prompt states or implies every one."""
    plain: bool = False
    """Whether the app must be a plain description, which computes nothing."""

    @property
    def checks(self) -> tuple[str, ...]:
        """Ids of everything that an answer must meet."""
        own = tuple(assertion.id for assertion in self.assertions)
        return (RESERVED, *own, PLAIN) if self.plain else (RESERVED, *own)

    @model_validator(mode="after")
    def _distinct(self) -> HardMetadata:
        if twice := sorted({name for name in self.checks if self.checks.count(name) > 1}):
            raise ValueError(f"duplicate assertion: {', '.join(twice)}")
        return self


class HardItem(Strict):
    """One task."""

    id: HardId
    input: Text
    """The whole prompt, with the app to change where there is one."""
    metadata: HardMetadata

    @property
    def given(self) -> bool:
        """Whether the prompt contains an app."""
        return self.metadata.kind in GIVEN


class HardEdit(Edit):
    """A reference with one thing wrong; `breaks` may also be `deploys` or `plain`."""

    item: HardId
