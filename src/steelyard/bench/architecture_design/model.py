"""The data of one architecture task.

A task has a text for the subject (`input`) and, for the scorer, the elements of a complete answer: components with
their roles, flows with their order, findings with their remedies. Most carry *signals*, groups of lower-case phrases. A
phrase matches at the start of a word and may be a stem (`asynchron`); a group is satisfied if any of its phrases
occurs; an element counts as stated if all its groups are satisfied in one passage of the answer.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, Protocol, get_args

from pydantic import Field, model_validator

from steelyard.bench.architecture_design.facts import LEAST, MOST, Fact, Text
from steelyard.yamlfile import Strict

CANARY = "46e1677c-e962-4c9a-ba9f-9ffb7fabf2e2"
"""Included in every row of the data: a training corpus that contains this string contains the dataset."""

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
OutputFormat = Literal["mermaid", "plantuml", "json"]

Phrase = Annotated[str, Field(min_length=2, pattern=r"^[^A-Z]+$")]
Group = Annotated[tuple[Phrase, ...], Field(min_length=1)]
Signals = Annotated[tuple[Group, ...], Field(min_length=1)]
Id = Annotated[str, Field(pattern=r"^ad-\d{3}$")]


class Element(Strict):
    """What an answer may state."""

    fact: str | None = None
    """The fact that it rests on: where an answer has that wrong, the element does not count."""


class Component(Element):
    """A service of the architecture and its role."""

    name: Text
    """The service's usual name without the vendor prefix: `S3`, `Application Load Balancer`."""
    role: Text
    """One sentence: what it does in this architecture."""
    signals: Signals
    """They show that the role was understood."""


class Flow(Element):
    """A path of data or requests through the architecture."""

    statement: Text
    path: Annotated[tuple[Text, ...], Field(min_length=2)]
    """Component names in the order in which data or a request meets them."""


class Remedy(Element):
    """The solution to a finding."""

    statement: Text
    signals: Signals


class Finding(Element):
    """A weakness, bottleneck, unnecessary cost or design decision that a complete answer names."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    statement: Text
    signals: Signals
    remedy: Remedy | None = None


class Expected(Strict):
    """The elements of a complete answer."""

    components: Annotated[tuple[Component, ...], Field(min_length=1)]
    flows: tuple[Flow, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        return tuple(finding.remedy for finding in self.findings if finding.remedy is not None)

    @model_validator(mode="after")
    def _consistent(self) -> "Expected":
        names = [component.name for component in self.components]
        for what, all_of in (("component", names), ("finding", [finding.id for finding in self.findings])):
            if duplicates := sorted({name for name in all_of if all_of.count(name) > 1}):
                raise ValueError(f"duplicate {what}: {', '.join(duplicates)}")
        for flow in self.flows:
            if unknown := [name for name in flow.path if name not in names]:
                raise ValueError(f"flow names unknown components: {', '.join(unknown)}")
        return self


class Marked(Strict):
    """What carries the canary."""

    canary: Literal["46e1677c-e962-4c9a-ba9f-9ffb7fabf2e2"]


class DesignMetadata(Marked):
    """Everything about a task besides its text; of this the subject sees only the diagram."""

    subtype: Subtype
    difficulty: Literal["easy", "medium", "hard"]
    domain: Text
    aws_services: Annotated[tuple[Text, ...], Field(min_length=1)]
    output_format: OutputFormat | None
    expected_components: tuple[Text, ...]
    """Names a diagram in the answer must show; empty if there is no output format."""
    diagram: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")] | None
    """Base name of the PNG and the text under `diagrams/`; null for creation tasks."""
    as_of: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")]
    """Month in which the facts were last checked."""
    expected: Expected

    @model_validator(mode="after")
    def _complete(self) -> "DesignMetadata":
        if (self.subtype in get_args(CreationSubtype)) == (self.diagram is not None):
            raise ValueError("an interpretation task has a diagram and a creation task has none")
        if (self.output_format is None) != (not self.expected_components):
            raise ValueError("expected_components must be given if output_format is, and only then")
        return self


class Asked(Protocol):
    """A task as the scorers need it: a shipped one, or one of the user's own."""

    @property
    def input(self) -> str: ...

    @property
    def facts(self) -> tuple[Fact, ...]: ...

    @property
    def expected(self) -> Expected: ...

    @property
    def output_format(self) -> OutputFormat | None: ...

    @property
    def expected_components(self) -> tuple[str, ...]: ...


class DesignItem(Strict):
    """One task."""

    id: Id
    input: Text
    metadata: DesignMetadata
    facts: tuple[Fact, ...] = ()
    """Kept in files of their own; `dataset.load` adds them."""

    @property
    def expected(self) -> Expected:
        return self.metadata.expected

    @property
    def output_format(self) -> OutputFormat | None:
        return self.metadata.output_format

    @property
    def expected_components(self) -> tuple[str, ...]:
        return self.metadata.expected_components


class Reference(Marked):
    """An expert answer to one task."""

    id: Id
    answer: Text


class Options(Marked):
    """A list of options that the facts of several tasks share, so that it gives none of them away."""

    id: Annotated[str, Field(pattern=r"^[a-z]+$")]
    options: Annotated[tuple[Text, ...], Field(min_length=2)]


class TaskFacts(Marked):
    """The facts of one task. `options` of a fact may be the id of a list."""

    id: Id
    facts: Annotated[tuple[dict[str, object], ...], Field(min_length=LEAST, max_length=MOST)]


class TruthPair(Marked):
    """An answer in two versions of equal length, one true and one false in stated places.

    A place in `text` is `{fact|true words|false words}`, with as many words on either side.
    """

    id: Id
    pair: Literal["a", "b"]
    text: Text
    false: Literal["all", "three"]
    """Whether the false version is false in all its places and facts, or in the first three."""


def unlinked(expected: Expected, facts: Iterable[Fact]) -> list[str]:
    """The facts that elements rest on and that are not there."""
    elements = (*expected.components, *expected.flows, *expected.findings, *expected.remedies)
    return sorted({part.fact for part in elements if part.fact is not None} - {fact.name for fact in facts})
