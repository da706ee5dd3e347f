"""Scores prose by facts, without a model (docs/scoring.md §1.8).

    score = max(0, (Σ credit of facts − Σ credit of wrong claims) / number of facts)

A credit is that of a finding in Architecture Design (docs/architecture-scoring.md): 1 if one phrase of every group of
its signals occurs in one passage that explains, less if a group is missing or the passage is a list of words. Words
copied from the prompt or repeated count for nothing. A fact or wrong claim counts as said from a credit of 0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.bench.architecture_design.heuristic.dimensions import heuristic
from steelyard.bench.architecture_design.model import DesignItem, DesignMetadata, Expected, Finding, Subtype
from steelyard.bench.own.model import ArchitectureItem, StatedFact, TextItem
from steelyard.outcome import exact

SAID = 0.5
"""Credit from which a fact counts as said."""


@dataclass(frozen=True, slots=True)
class FactScore:
    """The score of one answer, fact by fact."""

    score: float
    facts: dict[str, float]
    """Fact id → credit in [0, 1]."""
    wrong: dict[str, float]
    """Id of a wrong claim → how far the answer makes it, in [0, 1]."""

    @property
    def missed(self) -> list[str]:
        """Facts that the answer does not state."""
        return [name for name, credit in self.facts.items() if exact(credit) < SAID]

    @property
    def false(self) -> list[str]:
        """Wrong claims that the answer makes."""
        return [name for name, credit in self.wrong.items() if exact(credit) >= SAID]


def fact_score(item: TextItem, answer: str, prompt: str = "") -> FactScore:
    """The score of an answer; `prompt` is what the subject saw."""
    facts = _credits(item, [(fact, fact.statement) for fact in item.facts], answer, prompt)
    # An answer that says a wrong claim word for word makes it: only what a full answer says counts as copied.
    wrong = _credits(item, [(fact, fact.id) for fact in item.wrong], answer, prompt)
    points = sum(facts.values()) - sum(credit for credit in wrong.values() if exact(credit) >= SAID)
    return FactScore(max(0.0, points / len(facts)) if facts else 0.0, facts, wrong)


def design_item(item: ArchitectureItem) -> DesignItem:
    """An item of your own as the heuristic of Architecture Design reads it."""
    return _design(item.id, item.input, item.expected, item.subtype, item)


def _credits(item: TextItem, facts: Sequence[tuple[StatedFact, str]], answer: str, prompt: str) -> dict[str, float]:
    """Fact id → credit; the text beside a fact is what an answer must not copy."""
    if not facts:
        return {}
    findings = tuple(Finding(id=fact.id, statement=text, signals=fact.signals) for fact, text in facts)
    expected = Expected.model_construct(components=(), flows=(), findings=findings)
    evidence = heuristic(_design(item.id, item.input, expected, "architecture_critique"), answer, prompt).evidence
    return dict(zip((fact.id for fact, _ in facts), evidence.findings, strict=True))


def _design(
    name: str, text: str, expected: Expected, subtype: Subtype, item: ArchitectureItem | None = None
) -> DesignItem:
    # Built without validation: the shipped items have ids, canaries and diagrams that others do not have.
    metadata = DesignMetadata.model_construct(
        subtype=subtype,
        difficulty="medium",
        domain="own",
        aws_services=(),
        output_format=item.output_format if item else None,
        expected_components=item.expected_components if item else (),
        diagram=None,
        expected=expected,
    )
    return DesignItem.model_construct(id=name, input=text, metadata=metadata)
