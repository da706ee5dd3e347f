"""The probabilities of the lexical marker, and what follows from them for a total.

    P(found)      = logistic(w · x + b)          x: the features of a pair, standardised
    P(○ | found)  = logistic(v · x + c)
    a cell's P    = (1 − c) · P(its own finding) + c · P(its closest finding, even if another problem took that one)
    × if P(×) > missed_above, else △ if P(○ | found) < detected_from, else ○
    score         = Σ expected points + expected extras ± z · √(d · (variance of cells + variance of extras) + (g · n)²)

Extras are the bonuses and penalties that a person would give to the findings that address no problem. Words cannot see
which those are, so their number is drawn from how often people gave them: a beta-binomial for each, five bonuses at
most. d is how much runs of one group vary beyond what the probabilities say. g · n is how far the marker errs on a
whole group, in points for its n problems: words fit one kind of review better than another, and no run shows by how
much.
`benchmarks/audit_intervals.py` fits all of it and measures each group with what was fitted on the others.

The weights are in `weights.json`; `scripts/train-lexical` makes them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
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


class Fit(NamedTuple):
    """What reviews that others had scored show about the distance between a score and what words expect."""

    bonus: Frequency
    penalty: Frequency
    runs: float
    """Variance of runs of one group, as a multiple of what the probabilities give."""
    groups: float
    """Standard deviation of a whole group's error, in points per problem."""


SHIPPED = Fit(Frequency(0.46, 2.3), Frequency(0.02, 13.7), 1.18, 0.086)


class Points(NamedTuple):
    """What a sum of points is expected to be."""

    expected: float
    variance: float


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


def detection_points(known: Sequence[Probabilities]) -> Points:
    """The detection points of one run, from the probabilities of its cells."""
    means = [cell.detected + 0.5 * cell.partial for cell in known]
    squares = math.fsum(cell.detected + 0.25 * cell.partial for cell in known)
    # Rounding may leave slightly less than 0.
    return Points(math.fsum(means), max(squares - math.fsum(mean**2 for mean in means), 0.0))


def score_estimate(cells: Iterable[Probabilities], others: int, fit: Fit = SHIPPED) -> Estimate:
    """The score of one run, from its cells and the number of findings that address no problem."""
    known = list(cells)
    points = score_points(known, others, fit)
    # What no finding could address is missed for certain, in any group.
    doubtful = sum(cell.missed < 1 for cell in known)
    half = math.hypot(z_quantile() * math.sqrt(fit.runs * points.variance), shared_half(doubtful, fit))
    # No score can lie outside of what these findings can earn or cost.
    lowest, highest = -PENALTY_POINTS * others, len(known) + BONUS_POINTS * min(others, BONUS_LIMIT)
    expected = points.expected
    return Estimate(expected, max(lowest, expected - half), min(highest, expected + half), LEVEL)


def score_points(cells: Sequence[Probabilities], others: int, fit: Fit = SHIPPED) -> Points:
    """The score of one run as the probabilities have it."""
    found = detection_points(cells)
    bonus = extra_points(fit.bonus, others, BONUS_LIMIT, BONUS_POINTS)
    penalty = extra_points(fit.penalty, others, others, PENALTY_POINTS)
    expected = found.expected + bonus.expected - penalty.expected
    return Points(expected, found.variance + bonus.variance + penalty.variance)


def shared_half(problems: int, fit: Fit = SHIPPED) -> float:
    """The part of an interval's half width that all runs and documents of a group share."""
    return z_quantile() * fit.groups * problems


def extra_points(given: Frequency, findings: int, most: int, worth: float) -> Points:
    """The points for a beta-binomial number of findings, of which at most `most` count."""
    chances = [count_chance(count, findings, given) for count in range(findings + 1)]
    values = [worth * min(count, most) for count in range(findings + 1)]
    mean = math.fsum(chance * value for chance, value in zip(chances, values, strict=True))
    return Points(mean, math.fsum(chance * (value - mean) ** 2 for chance, value in zip(chances, values, strict=True)))


def count_chance(count: int, of: int, given: Frequency) -> float:
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
    names = ("contested", "missed_above", "detected_from")
    contested, missed_above, detected_from = (float(data[name]) for name in names)
    return Weights(means, scales, found, full, contested, missed_above, detected_from)


@cache
def shipped_weights() -> Weights:
    """The weights that come with the package."""
    text = resources.files("steelyard.audit.marking").joinpath("weights.json").read_text("utf-8")
    return weights_from(json.loads(text))


def _logistic(standard: Numbers, weights: Sequence[float]) -> Numbers:
    scores: Numbers = standard @ np.array(weights[:-1]) + weights[-1]
    return 1 / (1 + np.exp(-np.clip(scores, -_FAR, _FAR)))
