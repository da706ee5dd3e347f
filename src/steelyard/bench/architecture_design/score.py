"""The score of an architecture answer (docs/scoring.md §1.4).

    score        = (accuracy + completeness + quality) / 3
    accuracy     = max(0, right − wrong traps) / facts
    completeness = share of the key's elements that the prose states
    quality      = min(1, accuracy / 0.5, completeness / 0.5) · mean of order, reasons and, if asked for, the diagram

Neither completeness nor quality is above accuracy + 0.2: prose cannot pay for wrong facts. Order is the share of stated
steps and remedies that stand in order; reasons is the share of named elements that are stated with what belongs to
them; the diagram counts by the expected components that it shows. With a judge, completeness and quality are the
judge's, and accuracy is 0.5 · facts + 0.5 · judge; the bound is the same. Then, once, in this order:

1. Structured output, if the item requires a format: valid → quality + 0.05; invalid or absent → all three × 0.8.
2. Anti-gaming factors on all three: × 0.8 for fewer than 50 words (blocks and what was copied or repeated do not
   count); × 0.9 for repetition, falling linearly to × 0.4 as more of the answer repeats.
3. Each dimension is clamped to [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from steelyard.bench.architecture_design.diagram import Diagram
from steelyard.bench.architecture_design.elements import Elements, Search
from steelyard.bench.architecture_design.facts import Assessment, assessed, stated
from steelyard.bench.architecture_design.model import Asked
from steelyard.bench.architecture_design.prose import Prose, read
from steelyard.outcome import exact

ALLOWED = 0.2
"""How far completeness and quality may be above accuracy."""
ENOUGH = 0.5
"""Accuracy and completeness from which quality counts in full: good form of little, or of untruths, is worth little."""
FACTS_WEIGHT, JUDGE_WEIGHT = 0.5, 0.5
"""Parts of accuracy where a judge grades."""
VALID_BONUS = 0.05
INVALID_FACTOR = 0.8
MIN_WORDS = 50
SHORT_FACTOR = 0.8
REPETITION = 0.1
"""Share of repeated words that costs nothing."""
REPETITION_FACTOR = 0.9
REPETITION_FLOOR = 0.4


class Dimensions(NamedTuple):
    """Three numbers in [0, 1]."""

    accuracy: float
    completeness: float
    quality: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What a program finds in an answer."""

    facts: Assessment
    elements: Elements
    prose: Prose
    rest: str
    """The answer without its facts: prose and diagram."""

    def raw(self, diagram: Diagram | None) -> Dimensions:
        """The dimensions before any adjustment."""
        found = self.elements
        parts = [found.ordered, found.explained] + ([] if diagram is None else [_shown(diagram)])
        accuracy = self.facts.accuracy
        quality = min(accuracy / ENOUGH, found.share / ENOUGH, 1.0) * sum(parts) / len(parts)
        return bounded(Dimensions(accuracy, found.share, quality))


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The final dimensions and the adjustments that led to them."""

    dimensions: Dimensions
    factors: Mapping[str, float]
    """Factors other than 1 by name (`structured`, `short`, `repetition`), and the added `bonus`."""

    @property
    def score(self) -> float:
        accuracy, completeness, quality = self.dimensions
        return (accuracy + completeness + quality) / 3


def reading(item: Asked, answer: str, prompt: str = "") -> Reading:
    """Read an answer; `prompt` is what the subject saw."""
    said = stated(answer, item.facts)
    facts = assessed(said.fields, item.facts)
    # Without the facts: their JSON is not prose, and its values would count as stated elements.
    prose = read(said.rest, prompt or item.input)
    return Reading(facts, Search(item.expected, prose).elements(facts.wrong), prose, said.rest)


def bounded(raw: Dimensions) -> Dimensions:
    """Completeness and quality no further above accuracy than allowed."""
    most = raw.accuracy + ALLOWED
    return Dimensions(raw.accuracy, min(raw.completeness, most), min(raw.quality, most))


def blended(judge: Dimensions, facts: float) -> Dimensions:
    """The raw dimensions of a judged answer, of whose facts this share is right."""
    return bounded(Dimensions(FACTS_WEIGHT * facts + JUDGE_WEIGHT * judge.accuracy, judge.completeness, judge.quality))


def adjusted(raw: Dimensions, prose: Prose, diagram: Diagram | None) -> Adjusted:
    """Apply the three steps above, in order."""
    factors: dict[str, float] = {}
    bonus, factor = 0.0, 1.0
    if diagram is not None and diagram.status == "valid":
        bonus = factors["bonus"] = VALID_BONUS
    elif diagram is not None:
        factor *= factors.setdefault("structured", INVALID_FACTOR)
    if prose.words < MIN_WORDS:
        factor *= factors.setdefault("short", SHORT_FACTOR)
    if (repetition := repetition_factor(prose.repeated)) < 1.0:
        factor *= factors.setdefault("repetition", repetition)
    # The bonus is added before the factors, so they reduce it too.
    raised = raw._replace(quality=raw.quality + bonus)
    return Adjusted(Dimensions(*(min(max(value * factor, 0.0), 1.0) for value in raised)), factors)


def repetition_factor(share: float) -> float:
    """1 up to `REPETITION`, 0.9 just above it, then falling to the floor when everything repeats."""
    if exact(share) <= REPETITION:
        return 1.0
    return REPETITION_FACTOR - (REPETITION_FACTOR - REPETITION_FLOOR) * (share - REPETITION) / (1 - REPETITION)


def _shown(diagram: Diagram) -> float:
    """The share of expected components in a valid diagram."""
    if diagram.status != "valid":
        return 0.0
    return 1.0 - len(diagram.missing) / diagram.expected if diagram.expected else 1.0
