"""The law of a board (docs/scoring.md §1.2, §1.6), on plain numbers.

    category = mean over scored items, epochs reduced to item means first
    overall  = Σ weight·category, a category never run counts 0.0, a withheld one makes it None
    strict   = the same sum, where an item with requirements counts only if it passes and meets them all, and an item
               with facts counts by its facts alone

A category is withheld when runs lost through our fault (judge, sandbox, harness, provider) leave less than the minimum
coverage of what was set out to run. The declared reading of a difference Δ: |Δ| ≤ 0.05 equivalent; ≤ 0.10 likely for
high-confidence categories and overall, unclear for the others; above definite. Comparisons are made at 6 decimals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np

from steelyard.bench.model import MIN_COVERAGE, OVERALL, Declared, Measured
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.outcome import exact
from steelyard.stats.multiple import ALPHA
from steelyard.stats.paired import Array
from steelyard.stats.rounding import exact_all

EQUIVALENT_WITHIN = 0.05
DEFINITE_ABOVE = 0.10


def item_means(runs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Scored runs (item, value) reduced to one mean per item: the item is the unit, never the epoch."""
    values: dict[str, list[float]] = {}
    for item, value in runs:
        values.setdefault(item, []).append(value)
    return {item: fmean(scores) for item, scores in values.items()}


def category_score(items: Mapping[str, float]) -> float | None:
    """The mean over scored items; None when nothing was scored."""
    return fmean(items.values()) if items else None


def strict_value(value: float, share: float | None, *, binary: bool) -> float | None:
    """What a run counts strictly: 1 if it passes with a share of 1, or the share itself where items are not binary.

    A run that earned nothing counts 0 without a share; one that earned something counts None.
    """
    if exact(value) <= 0:
        return 0.0
    if share is None:
        return None
    return float(exact(value) >= 1 and exact(share) >= 1) if binary else min(max(share, 0.0), 1.0)


def withheld(attempted: int, lost: int, min_coverage: float = MIN_COVERAGE) -> bool:
    """Whether runs lost through our fault leave too little of what was attempted."""
    # A run with a sample limit has lost nothing: it is partial, not withheld.
    return lost > 0 and exact((attempted - lost) / max(attempted, lost)) < exact(min_coverage)


def overall(scores: Mapping[str, float | None], suite: Suite = OFFICIAL) -> float | None:
    """The weighted sum over a suite; absent counts 0.0, None (withheld) makes the whole None."""
    # Withheld is not 0: our own failures must not pull the sum down.
    if any(key in scores and scores[key] is None for key in suite.categories):
        return None
    return math.fsum(category.weight * (scores.get(key) or 0.0) for key, category in suite.categories.items())


def margin_of(key: str, suite: Suite = OFFICIAL) -> float:
    """The declared margin of a category, or of the overall score."""
    return suite.margin if key == OVERALL else suite.categories[key].margin


def declared_all(deltas: Array, key: str, suite: Suite = OFFICIAL) -> Sequence[Declared | None]:
    """The declared reading of each difference in a category or overall; None where the suite has no such words."""
    if not suite.declares:
        return [None] * len(deltas)
    size = exact_all(np.abs(deltas))
    between = "likely" if key == OVERALL or suite.categories[key].confidence == "high" else "unclear"
    return np.select([size <= EQUIVALENT_WITHIN, size > DEFINITE_ABOVE], ["equivalent", "definite"], between).tolist()


def measured(
    p_holm: float | None, interval95: tuple[float, float] | None, interval90: tuple[float, float] | None, margin: float
) -> Measured:
    """The measured reading: distinct (it wins), equivalent (the 90% interval inside ± margin), else unresolved."""
    ends = [np.array([end]) for interval in (interval95, interval90) for end in interval or (math.nan, math.nan)]
    return measured_all(np.array([math.nan if p_holm is None else p_holm]), *ends, margin=margin)[0]


def measured_all(
    p_holm: Array, low: Array, high: Array, low90: Array, high90: Array, *, margin: float
) -> list[Measured]:
    """The measured reading of each comparison; NaN where there is no number, and no comparison with it holds."""
    # The interval must exclude 0 too, so that a reader never sees "distinct" beside an interval with 0 in it.
    distinct = (p_holm < ALPHA) & ((low > 0) | (high < 0)) & ~(np.isnan(low) | np.isnan(high))
    equivalent = np.maximum(-exact_all(low90), exact_all(high90)) <= exact(margin)
    return np.select([distinct, equivalent], ["distinct", "equivalent"], "unresolved").tolist()


def ranks(totals: Sequence[float]) -> list[int]:
    """1 + how many are strictly better; equal totals share a rank."""
    rounded = [exact(total) for total in totals]
    return [1 + sum(other > total for other in rounded) for total in rounded]
