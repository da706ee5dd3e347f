"""The score of an architecture sample from its raw dimensions (docs/scoring.md §1.4).

    score = (accuracy + completeness + quality) / 3

The raw dimensions are adjusted once, in this order:

1. Structured output, if the item requires a format: valid → quality + 0.05; invalid or absent → all three × 0.8.
2. Anti-gaming factors on all three: × 0.8 for fewer than 50 original words (diagrams and words that were copied or
   repeated do not count); × 0.9 for repetition, falling linearly to × 0.4 as more of the answer repeats.
3. Each dimension is clamped to [0, 1].

With a judge, raw is 0.7 · judge + 0.3 · heuristic per dimension; the steps are the same and are applied once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.bench.architecture_design.diagram import Diagram
from steelyard.bench.architecture_design.heuristic.dimensions import Dimensions
from steelyard.bench.architecture_design.heuristic.reading import Reading
from steelyard.outcome import exact

VALID_BONUS = 0.05
INVALID_FACTOR = 0.8
MIN_WORDS = 50
SHORT_FACTOR = 0.8
REPETITION = 0.1
"""Share of repeated words that costs nothing."""
REPETITION_FACTOR = 0.9
REPETITION_FLOOR = 0.4
JUDGE_WEIGHT, HEURISTIC_WEIGHT = 0.7, 0.3


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The final dimensions and the adjustments that led to them."""

    dimensions: Dimensions
    factors: Mapping[str, float]
    """Factors other than 1 by name (`structured`, `short`, `repetition`), and the added `bonus`."""

    @property
    def score(self) -> float:
        return self.dimensions.mean


def blended(judge: Dimensions, heuristic: Dimensions) -> Dimensions:
    """The raw dimensions of a judged answer."""
    pairs = (
        (judge.accuracy, heuristic.accuracy),
        (judge.completeness, heuristic.completeness),
        (judge.quality, heuristic.quality),
    )
    return Dimensions(*(JUDGE_WEIGHT * judged + HEURISTIC_WEIGHT * computed for judged, computed in pairs))


def adjusted(raw: Dimensions, reading: Reading, diagram: Diagram | None) -> Adjusted:
    """Apply the three steps above, in order."""
    factors: dict[str, float] = {}
    bonus, factor = 0.0, 1.0
    if diagram is not None and diagram.status == "valid":
        bonus = factors["bonus"] = VALID_BONUS
    elif diagram is not None:
        factor *= factors.setdefault("structured", INVALID_FACTOR)
    if own_words(reading) < MIN_WORDS:
        factor *= factors.setdefault("short", SHORT_FACTOR)
    if (repetition := repetition_factor(reading.repeated)) < 1.0:
        factor *= factors.setdefault("repetition", repetition)
    final = Dimensions(*(_clamp(value * factor) for value in (raw.accuracy, raw.completeness, raw.quality + bonus)))
    return Adjusted(final, factors)


def own_words(reading: Reading) -> int:
    """The number of words outside diagrams that were neither copied nor repeated."""
    kept = sum(not blank and word != "→" for word, blank in zip(reading.words, reading.blank, strict=True))
    return kept + reading.left_out_own


def repetition_factor(share: float) -> float:
    """1 up to `REPETITION`, 0.9 just above it, then falling to the floor when everything repeats."""
    if exact(share) <= REPETITION:
        return 1.0
    return REPETITION_FACTOR - (REPETITION_FACTOR - REPETITION_FLOOR) * (share - REPETITION) / (1 - REPETITION)


def _clamp(value: float) -> float:
    return min(max(value, 0.0), 1.0)
