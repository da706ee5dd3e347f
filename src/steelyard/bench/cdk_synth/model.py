"""The data model of a CDK task: a prompt, and requirements on the synthesized templates."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from steelyard.bench.cdk_synth.intent.requirement import Requirement, Strict

CANARY = "44e488fe-3f1b-4830-8f11-431b46ee22fc"
"""In every row of the data: a training corpus that contains this string contains the dataset."""

Difficulty = Literal["beginner", "intermediate", "advanced"]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Texts = Annotated[tuple[Text, ...], Field(min_length=1)]
Id = Annotated[str, Field(pattern=r"^cdk-\d{3}$")]


class CdkMetadata(Strict):
    """Everything about a task that the subject does not see."""

    difficulty: Difficulty
    domains: Texts
    """Fields of work: `networking`, `security`, …"""
    aws_services: Texts
    """Services the reference uses."""
    cdk_constructs: Texts
    """Constructs the reference uses, with their module."""
    pattern: Text
    """The design in a few words."""
    as_of: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")]
    """Month in which the task was last checked against the pinned CDK."""
    canary: Literal["44e488fe-3f1b-4830-8f11-431b46ee22fc"]
    resources: Annotated[int, Field(ge=1)]
    """Resources that the reference deploys."""
    intent: Annotated[tuple[Requirement, ...], Field(min_length=3)]
    """What the templates must show; the prompt states every requirement."""

    @model_validator(mode="after")
    def _distinct(self) -> CdkMetadata:
        ids = [requirement.id for requirement in self.intent]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"duplicate requirement: {', '.join(twice)}")
        return self


class CdkItem(Strict):
    """One task."""

    id: Id
    input: Text
    """The whole prompt."""
    metadata: CdkMetadata

    @property
    def intent(self) -> tuple[Requirement, ...]:
        """What the templates must show."""
        return self.metadata.intent


class Edit(Strict):
    """A reference with one requirement dropped, as edits: a reader sees what is missing."""

    item: Id
    breaks: Text
    """Id of the one requirement that must fail."""
    replace: Annotated[tuple[tuple[Text, str], ...], Field(min_length=1)]
    """Pairs of old and new text, applied in order; each old text occurs exactly once."""
