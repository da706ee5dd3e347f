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
from steelyard.bench.score import declared, margin_of, measured
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.outcome import exact
from steelyard.stats.interval import z_quantile
from steelyard.stats.multiple import holm
from steelyard.stats.paired import Array, Differences, compare_all, weighted
from steelyard.stats.power import POWER, items_needed
from steelyard.stats.rank import Ranking, rank_intervals
from steelyard.stats.student import t_quantile_at

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
    p_values = [_known(p) for p in differences.p.tolist()]
    adjusted = holm(p_values)
    margin = margin_of(key, suite)
    # Lists, because reading the members of an array one by one takes several times as long.
    columns = (differences.estimate, differences.se, _detectable(differences), *_bounds(differences))
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    pairs: list[Pair] = []
    for place, ((one, other), values) in enumerate(zip(combinations(rows, 2), numbers, strict=True)):
        estimate, se, detectable = values[:3]
        delta = exact(estimate)
        ends, ends90 = _ends(*values[3:5]), _ends(*values[5:])
        reading = measured(adjusted[place], ends, ends90, margin)
        pairs.append(
            Pair(
                category=key,
                first=one.model,
                second=other.model,
                delta=delta,
                low=ends[0] if ends else None,
                high=ends[1] if ends else None,
                p=p_values[place],
                p_holm=adjusted[place],
                declared=declared(delta, key, suite),
                measured=reading,
                detectable=_known(detectable) if se > 0 else None,
                needed=_needed(estimate, se, items, margin) if reading == "unresolved" else None,
                separates_at=items_needed(delta or margin, se**2 * items) if reading != "distinct" else None,
            )
        )
    return pairs


def _needed(delta: float, se: float, items: int, margin: float) -> int | None:
    if se <= 0:
        return None
    reach = z_quantile(0.95) + z_quantile(2 * POWER - 1)
    target = max(abs(delta), margin)
    return max(items + 1, math.ceil(round(items * (reach * se / target) ** 2, 6)))


def _detectable(differences: Differences) -> Array:
    return (t_quantile_at(differences.df, 0.975) + t_quantile_at(differences.df, POWER)) * differences.se


def _matrix(rows: Sequence[BoardRow], key: str) -> Array:
    items = sorted(rows[0].results[key].items) if rows else []
    return np.array([[row.results[key].items[item] for item in items] for row in rows], dtype=float)


def _by_score(rows: Sequence[BoardRow], key: str) -> list[BoardRow]:
    """Best first; rows whose items are not those of the best are left out: there is nothing to pair."""
    ordered = sorted(rows, key=lambda row: (-exact(row.results[key].score or 0.0), row.model))
    return [row for row in ordered if row.results[key].items.keys() == ordered[0].results[key].items.keys()]


def _indices(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    return np.column_stack(np.triu_indices(count, 1))


def _bounds(differences: Differences) -> tuple[Array, Array, Array, Array]:
    return differences.low, differences.high, differences.low90, differences.high90


def _ends(low: float, high: float) -> tuple[float, float] | None:
    return None if math.isnan(low) or math.isnan(high) else (low, high)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
