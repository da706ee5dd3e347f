"""Do the items of a board tell its best rows apart? (docs/scoring.md §1.8)

    top rows       the tie group of the best ranked row; the best two ranked rows where it is alone in its group
    saturated      every top row is at or above 1 − margin: overall, or in a category with that category's margin
    not separable  the best row is not measurably different (docs/scoring.md §1.6) from another top row
    n              (z_{1−α/2} + z_{1−β})² · variance / δ², the items that would show a difference of δ with 80% power

δ is the difference seen, or the declared margin where the two score the same. The variance is that of the paired
difference on the items at hand, so n counts items like these, in the same mix of categories.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.bench.model import OVERALL, BoardRow, Pair, Separation
from steelyard.bench.suite import Suite
from steelyard.outcome import exact


def separation(rows: Sequence[BoardRow], pairs: Sequence[Pair], suite: Suite) -> Separation | None:
    """What the board cannot tell about its best rows; None with fewer than two ranked rows."""
    ranked = [row for row in rows if row.rank is not None]
    if len(ranked) < 2:
        return None
    top = [row for row in ranked if row.tie_group == ranked[0].tie_group]
    top = top if len(top) > 1 else ranked[:2]
    close = [
        pair
        for pair in pairs
        if pair.category == OVERALL and ranked[0].model in (pair.first, pair.second) and pair.measured != "distinct"
    ]
    by_name = {row.model: row for row in top}
    return Separation(
        top=tuple(row.model for row in top),
        saturated=all(_near_maximum(row.overall, suite.margin) for row in top),
        saturated_categories=tuple(
            key
            for key, category in suite.categories.items()
            if all(_near_maximum(row.results[key].score, category.margin) for row in top)
        ),
        inseparable=tuple(
            pair._replace(separates_at=None) if _identical(by_name[pair.first], by_name[pair.second]) else pair
            for pair in close
            if pair.first in by_name and pair.second in by_name
        ),
        items=sum(len(result.items) for result in ranked[0].results.values()),
    )


def _identical(one: BoardRow, other: BoardRow) -> bool:
    """Whether two rows scored the same on every item: then no number of such items tells them apart."""
    return all(
        # -1 equals no score, so an item that the other row lacks makes the two different.
        exact(score) == exact(other.results[key].items.get(item, -1.0))
        for key, result in one.results.items()
        for item, score in result.items.items()
    )


def _near_maximum(score: float | None, margin: float) -> bool:
    return score is not None and exact(score) >= exact(1 - margin)
