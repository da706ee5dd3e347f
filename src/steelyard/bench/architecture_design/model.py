"""The data of one architecture task.

A task has a text for the subject (`input`) and, for the scorer, the elements of a complete answer: components with
their roles, flows with their order, findings with their remedies. Components, findings and remedies carry *signals*:
groups of lower-case phrases. A phrase matches at the start of a word and may be a stem (`asynchron`). A group is
satisfied if any of its phrases occurs; an element counts as understood if a phrase of every group occurs in one passage
of the answer. Signals are evidence of meaning, not a list of required words.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

CANARY = "46e1677c-e962-4c9a-ba9f-9ffb7fabf2e2"
"""Included in every row of the data: a training corpus that contains this string contains the dataset."""

HELD_OUT: frozenset[str] = frozenset(
    {
        "ad-003",
        "ad-005",
        "ad-008",
        "ad-011",
        "ad-013",
        "ad-017",
        "ad-021",
        "ad-023",
        "ad-026",
        "ad-027",
    }
)
"""Tasks not used to tune the heuristic; chosen before the first task was written.

They cover all nine subtypes, the three difficulties and the three output formats. The agreement of the heuristic
with the labels is published on these ten alone: on the other eighteen it would measure the tuning.
"""

InterpretationSubtype = Literal[
    "service_identification",
    "data_flow_analysis",
    "security_assessment",
    "scalability_analysis",
    "cost_optimization",
    "architecture_critique",
]
"""Subtypes that ask about a given architecture; each of their tasks has a diagram."""
CreationSubtype = Literal["requirements_to_architecture", "pattern_implementation", "problem_solving"]
"""Subtypes that ask for a new architecture; they have no diagram."""
Subtype = InterpretationSubtype | CreationSubtype
Difficulty = Literal["easy", "medium", "hard"]
OutputFormat = Literal["mermaid", "plantuml", "json"]
Tier = Literal["good", "weak", "bad"]

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Phrase = Annotated[str, Field(min_length=2, pattern=r"^[^A-Z]+$")]
Group = Annotated[tuple[Phrase, ...], Field(min_length=1)]
Signals = tuple[Group, ...]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Id = Annotated[str, Field(pattern=r"^ad-\d{3}$")]


class DesignRow(BaseModel):
    """Immutable; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Component(DesignRow):
    """A service of the architecture and its role."""

    name: Text
    """The service's usual name without the vendor prefix: `S3`, `Application Load Balancer`."""
    role: Text
    """One sentence: what it does in this architecture."""
    signals: Annotated[Signals, Field(min_length=1)]
    """Groups of phrases that show the role was understood."""


class Flow(DesignRow):
    """A path of data or requests through the architecture."""

    statement: Text
    path: Annotated[tuple[Text, ...], Field(min_length=2)]
    """Component names in the order in which data or a request meets them."""


class Remedy(DesignRow):
    """The solution to a finding."""

    statement: Text
    signals: Annotated[Signals, Field(min_length=1)]


class Finding(DesignRow):
    """A weakness, bottleneck, unnecessary cost or design decision that a complete answer names."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    statement: Text
    signals: Annotated[Signals, Field(min_length=1)]
    """One phrase of each group should occur in one passage."""
    remedy: Remedy | None = None


class Expected(DesignRow):
    """The elements of a complete answer."""

    components: Annotated[tuple[Component, ...], Field(min_length=1)]
    flows: tuple[Flow, ...] = ()
    findings: tuple[Finding, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "Expected":
        names = [component.name for component in self.components]
        _unique("component", names)
        _unique("finding", [finding.id for finding in self.findings])
        for flow in self.flows:
            if unknown := [name for name in flow.path if name not in names]:
                raise ValueError(f"flow names unknown components: {', '.join(unknown)}")
        return self


class DesignMetadata(DesignRow):
    """Everything about a task besides its text; of this the subject sees only the diagram."""

    subtype: Subtype
    difficulty: Difficulty
    domain: Text
    aws_services: Annotated[tuple[Text, ...], Field(min_length=1)]
    output_format: OutputFormat | None
    expected_components: tuple[Text, ...]
    """Names a diagram in the answer must show; empty if there is no output format."""
    diagram: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None
    """Base name of the PNG and the text under `diagrams/`; null for creation tasks."""
    canary: Literal["46e1677c-e962-4c9a-ba9f-9ffb7fabf2e2"]
    as_of: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")]
    """Month in which the facts were last checked."""
    expected: Expected

    @model_validator(mode="after")
    def _complete(self) -> "DesignMetadata":
        creation = self.subtype in ("requirements_to_architecture", "pattern_implementation", "problem_solving")
        if creation == (self.diagram is not None):
            raise ValueError("an interpretation task has a diagram and a creation task has none")
        if (self.output_format is None) != (not self.expected_components):
            raise ValueError("expected_components must be given if output_format is, and only then")
        return self


class DesignItem(DesignRow):
    """One task."""

    id: Id
    input: Text
    metadata: DesignMetadata

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def expected(self) -> Expected:
        return self.metadata.expected


class Reference(DesignRow):
    """An expert answer to one task."""

    id: Id
    answer: Text
    canary: Literal["46e1677c-e962-4c9a-ba9f-9ffb7fabf2e2"]


class Labels(DesignRow):
    """Grades assigned by a person, each in [0, 1]."""

    accuracy: Share
    completeness: Share
    quality: Share

    @property
    def mean(self) -> float:
        return (self.accuracy + self.completeness + self.quality) / 3


class Labelled(DesignRow):
    """A response graded by hand."""

    id: Id
    tier: Tier
    response: Text
    labels: Labels
    labelled_by: Literal["authors"]
    """Who graded: the authors of the dataset, not independent annotators."""
    note: Text
    """Why these grades."""
    canary: Literal["46e1677c-e962-4c9a-ba9f-9ffb7fabf2e2"]


def _unique(what: str, names: list[str]) -> None:
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"duplicate {what}: {', '.join(duplicates)}")
