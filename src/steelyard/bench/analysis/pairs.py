"""Every pair of subjects, read twice (docs/scoring.md §1.6): as declared, and as measured on the same items.

Holm over all pairs within a category. The overall difference is the weighted sum of the paired category differences.
Items that would resolve an unresolved pair: enough for 80% power against a true difference as large as the one seen,
or as the declared margin where the one seen is smaller; the standard error shrinks with √n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from steelyard.bench.model import OVERALL, BoardRow, Pair
from steelyard.bench.score import declared_all, margin_of, measured_all
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.outcome import exact
from steelyard.stats.multiple import holm
from steelyard.stats.paired import Array, Differences, compare_all, weighted
from steelyard.stats.power import POWER, items_needed_all
from steelyard.stats.rank import Ranking, rank_intervals
from steelyard.stats.rounding import exact_all

PAIRED = 300
"""Subjects that are read pair by pair, the best first; 300 already make 44,850 pairs per category."""


def pairwise(rows: Sequence[BoardRow], ranked: Sequence[BoardRow], suite: Suite = OFFICIAL) -> tuple[Pair, ...]:
    """Per category all pairs of `rows` that ran it in full, overall all pairs of `ranked` rows; better one first."""
    pairs: list[Pair] = []
    for key in suite.categories:
        able = _by_score([row for row in rows if key in row.results and row.results[key].complete], key)[:PAIRED]
        if len(able) > 1:
            scores = _matrix(able, key)
            pairs += _pairs(key, able, compare_all(scores, _indices(len(able))), scores.shape[1], suite)
    ranked = ranked[:PAIRED]
    if len(ranked) > 1:
        indices = _indices(len(ranked))
        matrices = {key: _matrix(ranked, key) for key in suite.categories}
        parts = [(suite.categories[key].weight, compare_all(matrix, indices)) for key, matrix in matrices.items()]
        items = sum(matrix.shape[1] for matrix in matrices.values())
        pairs += _pairs(OVERALL, ranked, weighted(parts), items, suite)
    return tuple(pairs)


def ranking(rows: Sequence[BoardRow], seed: int, suite: Suite = OFFICIAL) -> list[Ranking]:
    """Where each of these complete rows may stand, items drawn jointly for all."""
    parts = [(category.weight, _matrix(rows, key)) for key, category in suite.categories.items()]
    return rank_intervals(parts, seed=seed)


def pair(rows: Sequence[BoardRow], key: str, suite: Suite = OFFICIAL) -> Pair | None:
    """One pair alone (a Holm family of one), for a direct comparison of two subjects."""
    both = [row for row in rows if key in row.results and row.results[key].complete]
    if len(both) != 2 or both[0].results[key].items.keys() != both[1].results[key].items.keys():
        return None
    scores = _matrix(both, key)
    return _pairs(key, both, compare_all(scores, _indices(2)), scores.shape[1], suite)[0]


def _pairs(key: str, rows: Sequence[BoardRow], differences: Differences, items: int, suite: Suite) -> list[Pair]:
    """Column by column: a hundred subjects have twenty thousand pairs."""
    names = list(combinations([row.model for row in rows], 2))
    p_values = _known(differences.p)
    adjusted = holm(p_values)
    margin = margin_of(key, suite)
    bounds = (differences.low, differences.high, differences.low90, differences.high90)
    # Times n: the variance of a single item, from which the standard error for any number of items follows.
    deltas, variances = exact_all(differences.estimate), differences.se**2 * items
    readings = measured_all(np.array(adjusted, dtype=float), *bounds, margin=margin)
    # An interval with only one end is shown as none.
    without = np.isnan(differences.low) | np.isnan(differences.high)
    low, high = (_known(np.where(without, math.nan, end)) for end in bounds[:2])
    targets = np.maximum(np.abs(differences.estimate), margin)
    needed = items_needed_all(targets, variances)
    # No number of items can show a difference of 0, so ask for one of the margin instead.
    separating = items_needed_all(np.where(deltas == 0, margin, deltas), variances)
    columns = (
        [key] * len(names),
        [first for first, _ in names],
        [second for _, second in names],
        deltas.tolist(),
        *(low, high, p_values, adjusted),
        declared_all(deltas, key, suite),
        readings,
        _known(np.where(differences.se > 0, _detectable(differences), math.nan)),
        [
            # These items did not resolve the pair, so it takes at least one more, whatever the formula says.
            max(items + 1, count) if count and it == "unresolved" else None
            for count, it in zip(needed, readings, strict=True)
        ],
        [count if it != "distinct" else None for count, it in zip(separating, readings, strict=True)],
    )
    return list(map(Pair._make, zip(*columns, strict=True)))


def _detectable(differences: Differences) -> Array:
    from scipy.special import stdtrit  # slow to import

    return (stdtrit(differences.df, 0.975) + stdtrit(differences.df, POWER)) * differences.se


def _matrix(rows: Sequence[BoardRow], key: str) -> Array:
    items = sorted(rows[0].results[key].items) if rows else []
    return np.array([[row.results[key].items[item] for item in items] for row in rows], dtype=float)


def _by_score(rows: Sequence[BoardRow], key: str) -> list[BoardRow]:
    """Best first; rows whose items are not those of the best are left out: there is nothing to pair."""
    ordered = sorted(rows, key=lambda row: (-exact(row.results[key].score or 0.0), row.model))
    return [row for row in ordered if row.results[key].items.keys() == ordered[0].results[key].items.keys()]


def _indices(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    return np.column_stack(np.triu_indices(count, 1))


def _known(values: Array) -> list[float | None]:
    """The numbers, None for NaN."""
    return [None if math.isnan(value) else value for value in values.tolist()]
