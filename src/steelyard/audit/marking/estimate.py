"""The probabilities of the lexical marker, and what follows from them for a total.

    P(found)      = logistic(w · x + b)          x: the features of a pair, standardised
    P(○ | found)  = logistic(v · x + c)
    a cell's P    = (1 − c) · P(its own finding) + c · P(its closest finding, even if another problem took that one)
    × if P(×) > missed_above, else △ if P(○ | found) < detected_from, else ○
    total         = Σ expected points ± z · √(overdispersion · Σ variance), within [0, number of problems]
    score         = total + extras, ± √(total's half width² + (z · sd of extras)²)

Extras are the bonuses and penalties that a person would give to the findings that address no problem. Words cannot see
which those are, so their number is drawn from how often people gave them: a beta-binomial for each, five bonuses at
most (`benchmarks/audit_intervals.py` fits and measures it).

The weights are in `weights.json`; `scripts/train-lexical` makes them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from steelyard.audit.marking.likeness import FEATURES, Numbers
from steelyard.audit.model import BONUS_LIMIT, BONUS_POINTS, PENALTY_POINTS, Estimate, Mark, Probabilities

_FAR = 30.0
"""Scores beyond this are certain to every digit that counts."""

LEVEL = 0.90
"""Chance that an interval covers what a person or a good judge would give."""


class Frequency(NamedTuple):
    """How often people give something to a finding, and how much that varies from run to run."""

    rate: float
    concentration: float
    """Of the beta distribution of the rate; the lower, the more it varies."""


BONUS, PENALTY = Frequency(0.40, 2.5), Frequency(0.02, 10.8)
"""Fitted to real reviews that others had scored."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What was learned from runs that were marked."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    found: tuple[float, ...]
    """One weight per feature, then the constant."""
    full: tuple[float, ...]
    contested: float
    missed_above: float
    detected_from: float
    overdispersion: float

    def probabilities(self, features: Numbers) -> Numbers:
        """… × features → … × (○, △, ×)."""
        standard = (features - np.array(self.means)) / np.array(self.scales)
        found, full = _logistic(standard, self.found), _logistic(standard, self.full)
        return np.stack([found * full, found * (1 - full), 1 - found], axis=-1)

    def points(self, chances: Numbers) -> Numbers:
        """The points of the marks that probabilities (… × 3) give."""
        detected, partial, missed = chances[..., 0], chances[..., 1], chances[..., 2]
        given = np.where(detected < self.detected_from * (detected + partial), 0.5, 1.0)
        return np.where(missed > self.missed_above, 0.0, given)

    def mark(self, chances: Sequence[float]) -> Mark:
        """The mark that these probabilities (○, △, ×) give."""
        detected, partial, missed = chances
        if missed > self.missed_above:
            return "missed"
        return "partial" if detected < self.detected_from * (detected + partial) else "detected"


def total(cells: Sequence[Probabilities], overdispersion: float) -> Estimate:
    """The detection points of one run, from the probabilities of its cells."""
    expected = math.fsum(cell.detected + 0.5 * cell.partial for cell in cells)
    squares = math.fsum(cell.detected + 0.25 * cell.partial for cell in cells)
    variance = squares - math.fsum((cell.detected + 0.5 * cell.partial) ** 2 for cell in cells)
    half = z_quantile() * math.sqrt(max(variance, 0.0) * overdispersion)
    return Estimate(expected, max(0.0, expected - half), min(float(len(cells)), expected + half), LEVEL)


def score_estimate(detection: Estimate, problems: int, others: int) -> Estimate:
    """The score of one run, from its detection points and the number of findings that address no problem."""
    bonus, bonus_variance = _points(BONUS, others, BONUS_LIMIT, BONUS_POINTS)
    penalty, penalty_variance = _points(PENALTY, others, others, PENALTY_POINTS)
    expected = detection.expected + bonus - penalty
    found = max(detection.expected - detection.low, detection.high - detection.expected)
    half = math.hypot(found, z_quantile() * math.sqrt(bonus_variance + penalty_variance))
    lowest, highest = -PENALTY_POINTS * others, problems + BONUS_POINTS * min(others, BONUS_LIMIT)
    return Estimate(expected, max(lowest, expected - half), min(highest, expected + half), detection.level)


def _points(given: Frequency, findings: int, most: int, worth: float) -> tuple[float, float]:
    """Mean and variance of the points for a beta-binomial number of findings, of which at most `most` count."""
    chances = [_chance(count, findings, given) for count in range(findings + 1)]
    values = [worth * min(count, most) for count in range(findings + 1)]
    mean = math.fsum(chance * value for chance, value in zip(chances, values, strict=True))
    return mean, math.fsum(chance * (value - mean) ** 2 for chance, value in zip(chances, values, strict=True))


def _chance(count: int, of: int, given: Frequency) -> float:
    """The beta-binomial probability of `count` among `of`."""
    yes, no = given.rate * given.concentration, (1 - given.rate) * given.concentration
    choose = math.lgamma(of + 1) - math.lgamma(count + 1) - math.lgamma(of - count + 1)
    return math.exp(choose + _log_beta(count + yes, of - count + no) - _log_beta(yes, no))


def _log_beta(one: float, other: float) -> float:
    return math.lgamma(one) + math.lgamma(other) - math.lgamma(one + other)


def z_quantile() -> float:
    """The normal quantile of `LEVEL`, two-sided."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + LEVEL / 2)


def weights_from(data: Mapping[str, Any]) -> Weights:
    """Weights from the JSON of `weights.json`; the features must be those of this version."""
    if tuple(data["features"]) != FEATURES:
        raise ValueError("the weights are for other features: train again with scripts/train-lexical")
    means, scales, found, full = (tuple(map(float, data[name])) for name in ("means", "scales", "found", "full"))
    names = ("contested", "missed_above", "detected_from", "overdispersion")
    contested, missed_above, detected_from, overdispersion = (float(data[name]) for name in names)
    return Weights(means, scales, found, full, contested, missed_above, detected_from, overdispersion)


@cache
def shipped_weights() -> Weights:
    """The weights that come with the package."""
    text = resources.files("steelyard.audit.marking").joinpath("weights.json").read_text("utf-8")
    return weights_from(json.loads(text))


def _logistic(standard: Numbers, weights: Sequence[float]) -> Numbers:
    scores: Numbers = standard @ np.array(weights[:-1]) + weights[-1]
    return 1 / (1 + np.exp(-np.clip(scores, -_FAR, _FAR)))
