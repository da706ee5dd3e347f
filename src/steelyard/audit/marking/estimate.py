"""The probabilities of the lexical marker, and what follows from them for a total.

    P(found)      = logistic(w · x + b)          x: the features of a pair, standardised
    P(○ | found)  = logistic(v · x + c)
    a cell's P    = (1 − c) · P(its own finding) + c · P(its closest finding, even if another problem took that one)
    × if P(×) > missed_above, else △ if P(○ | found) < detected_from, else ○
    total         = Σ expected points ± z · √(overdispersion · Σ variance), within [0, number of problems]

The weights are in `weights.json`; `scripts/train-lexical` makes them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from steelyard.audit.marking.likeness import FEATURES, Numbers
from steelyard.audit.model import Estimate, Mark, Probabilities

_FAR = 30.0
"""Scores beyond this are certain to every digit that counts."""

LEVEL = 0.90
"""Chance that an interval covers what a person or a good judge would give."""


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
