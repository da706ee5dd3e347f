"""The data of a bench of your own: `bench.yaml`, and the items of each kind.

An item has an `id`, an `input` (the whole prompt) and what its kind needs to score an answer. `reference` is an answer
that earns full marks: `steelyard/ceiling` gives it, and `bench check` checks it. Nothing but `id`, `input`,
`choices`, `title`, `domain` and `difficulty` is shown to a model or written to a log, apart from an exam's key.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from steelyard.bench.architecture_design.facts import MOST, Fact
from steelyard.bench.architecture_design.model import Expected, OutputFormat, Signals, Subtype, unlinked
from steelyard.bench.cdk_synth.intent.requirement import Requirement
from steelyard.bench.practice_exam.dataset import LETTERS, key_problems
from steelyard.text import invisible
from steelyard.yamlfile import Strict

LONGEST = 60_000
"""Characters of the longest text."""

PHRASE_WORDS = 4
"""Words of the longest phrase in a signal."""


def _readable(text: str) -> str:
    """Refuse what a file format or a log would trip over, and text that a reader does not see."""
    if any(0xD800 <= ord(character) <= 0xDFFF or character == "\0" for character in text):
        raise ValueError("must not contain NUL or half of a surrogate pair")
    if not any(not character.isspace() and not invisible(character) for character in text):
        raise ValueError("must hold something to read, not only invisible characters")
    return text


def _one_line(text: str) -> str:
    if "\n" in text or "\r" in text or any(invisible(character) for character in text):
        raise ValueError("must be one line without invisible characters")
    return text


Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST), AfterValidator(_readable)]
Line: TypeAlias = Annotated[
    str, StringConstraints(min_length=1, max_length=300), AfterValidator(_readable), AfterValidator(_one_line)
]
Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""ASCII letters, digits, dot, dash and underscore: two ids that look alike are alike."""
Key: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")]
Letter: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-F]$")]
Kind: TypeAlias = Literal["exam", "text", "architecture", "cdk"]
Weight: TypeAlias = Annotated[Decimal, Field(gt=0, le=1, allow_inf_nan=False)]
Margin: TypeAlias = Annotated[float, Field(gt=0, le=0.5, allow_inf_nan=False)]


class OwnItem(Strict):
    """What all kinds share."""

    id: Id
    """Unique in the whole bench."""
    input: Text
    """The prompt."""
    title: Line | None = None
    """As lists show it; the first sentence of the prompt if absent."""
    domain: Line | None = None
    difficulty: Line | None = None


class ExamItem(OwnItem):
    """A multiple-choice question, all-or-nothing on the set of right letters."""

    choices: Annotated[tuple[Line, ...], Field(min_length=2, max_length=len(LETTERS))]
    """Without letters; they are shuffled with a recorded seed."""
    target: Letter | tuple[Letter, ...]
    """The letter of the right choice, or all right letters, in the order of `choices`."""
    explanation: Text | None = None
    """Why; for readers of the file."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The right letters."""
        return (self.target,) if isinstance(self.target, str) else self.target

    @property
    def right(self) -> frozenset[str]:
        """The texts of the right choices."""
        return frozenset(self.choices[LETTERS.index(letter)] for letter in self.letters)

    @model_validator(mode="after")
    def _consistent(self) -> ExamItem:
        for field, problem in key_problems(self.choices, self.letters):
            raise ValueError(f"{field}: {problem}")
        return self


class StatedFact(Strict):
    """One thing that an answer says."""

    id: Name
    statement: Line
    """For people: it is shown with the score."""
    signals: Annotated[Signals, Field(min_length=1, max_length=8)]
    """Groups of lower-case phrases: the answer says it if one phrase of every group occurs in one passage."""

    @model_validator(mode="after")
    def _short_phrases(self) -> StatedFact:
        # Signals are evidence of meaning: a longer phrase would only find one way to say it.
        if long := [phrase for group in self.signals for phrase in group if len(phrase.split()) > PHRASE_WORDS]:
            raise ValueError(f"signals: {long[0]!r} has more than {PHRASE_WORDS} words")
        return self


class TextItem(OwnItem):
    """A question answered in prose, scored by facts, by a judge with the category's rubric, or both."""

    facts: Annotated[tuple[StatedFact, ...], Field(max_length=60)] = ()
    """What a full answer says."""
    wrong: Annotated[tuple[StatedFact, ...], Field(max_length=60)] = ()
    """What a wrong answer says; each costs as much as a fact earns."""
    reference: Text
    """An answer that earns full marks."""

    @model_validator(mode="after")
    def _distinct(self) -> TextItem:
        ids = [fact.id for fact in (*self.facts, *self.wrong)]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"duplicate fact: {', '.join(twice)}")
        if self.wrong and not self.facts:
            raise ValueError("wrong: needs facts beside it")
        return self


class ArchitectureItem(OwnItem):
    """An architecture to read or to design, scored as Architecture Design is (docs/scoring.md §1.4)."""

    subtype: Subtype = "architecture_critique"
    """What is asked for; shown with the score."""
    facts: Annotated[tuple[Fact, ...], Field(min_length=1, max_length=MOST)]
    """What the answer must state in its JSON object; the questions are added to the prompt. Eight or more are best."""
    expected: Expected
    """The elements of a complete answer; one may rest on a fact."""
    output_format: OutputFormat | None = None
    expected_components: tuple[Line, ...] = ()
    """Names that a diagram in the answer must show; only with an output format."""
    reference: Text
    """The prose of an answer that earns full marks; the right facts are added to it."""

    @model_validator(mode="after")
    def _complete(self) -> ArchitectureItem:
        names = [fact.name for fact in self.facts]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"facts: duplicate: {', '.join(twice)}")
        if unknown := unlinked(self.expected, self.facts):
            raise ValueError(f"expected: an element rests on an unknown fact: {', '.join(unknown)}")
        if (self.output_format is None) != (not self.expected_components):
            raise ValueError("expected_components must be given if output_format is, and only then")
        return self


class AppItem(OwnItem):
    """A CDK app in Python to write, verified by synthesizing it (docs/scoring.md §1.5)."""

    intent: Annotated[tuple[Requirement, ...], Field(max_length=60)] = ()
    """What the templates must show, in the requirements language of the CDK items."""
    reference: Text
    """A whole `app.py` that meets all of it."""


ITEMS: dict[Kind, type[OwnItem]] = {
    "exam": ExamItem,
    "text": TextItem,
    "architecture": ArchitectureItem,
    "cdk": AppItem,
}
"""Kind of category → model of its items."""


class CategoryEntry(Strict):
    """One category in `bench.yaml`."""

    kind: Kind
    items: Line
    """The file with the items: JSON Lines (`.jsonl`) or a YAML list (`.yaml`, `.yml`), inside the folder."""
    title: Line | None = None
    """As a reader sees it."""
    description: Line | None = None
    weight: Weight | None = None
    """Share of the overall score; all categories have one, or none and count the same."""
    margin: Margin | None = None
    """Difference that does not matter; 0.05 for exams and apps, 0.1 for texts and architectures if absent."""
    rubric: Line | None = None
    """For texts: a rubric file inside the folder, by which a judge grades."""
    require_intent: bool = False
    """For apps: pass only if all requirements hold, not only if the app synthesizes."""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> CategoryEntry:
        if self.rubric is not None and self.kind != "text":
            raise ValueError("rubric: only texts have one")
        if self.require_intent and self.kind != "cdk":
            raise ValueError("require_intent: only apps have it")
        return self


class BenchFile(Strict):
    """The content of `bench.yaml`."""

    name: Name
    """Names the suite in logs and boards."""
    title: Line | None = None
    """Heads its board."""
    private: bool = False
    """Keep the items off every board: it shows ids, scores and the hash of the items, and no text of theirs."""
    categories: Annotated[dict[Key, CategoryEntry], Field(min_length=1, max_length=20)]

    @model_validator(mode="after")
    def _weights(self) -> BenchFile:
        weights = [entry.weight for entry in self.categories.values() if entry.weight is not None]
        if weights and len(weights) != len(self.categories):
            raise ValueError("categories: give every category a weight, or none")
        if weights and sum(weights, Decimal(0)) != 1:
            raise ValueError(f"categories: the weights add up to {sum(weights, Decimal(0))}, not 1")
        return self
