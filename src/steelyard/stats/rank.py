"""How certain a rank on a board is.

Items are drawn with replacement, jointly for all subjects (who all answered the same items), each category on its own;
every draw is ranked (rank = 1 + how many are strictly better). Reported: the [2.5, 97.5]% interval
of the rank, and P(rank 1), where k subjects tied for the first place get 1/k each. The seed is an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.outcome import DECIMALS

DRAWS = 2000
"""Bootstrap samples."""
SEED = 20260107
"""Default seed of the draws."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rank of one subject, with its uncertainty."""

    low: int
    high: int
    """The 95% interval of the rank, 1 is best."""
    first: float
    """Share of draws in which it is best."""


def rank_intervals(
    parts: Sequence[tuple[float, NDArray[np.float64]]], *, seed: int = SEED, draws: int = DRAWS
) -> list[Ranking]:
    """Rank intervals for the weighted sum of `parts`: (weight, subjects × items without gaps) per category."""
    if not parts or not len(parts[0][1]):
        return []
    rng = np.random.default_rng(seed)
    totals = np.zeros((len(parts[0][1]), draws))
    for weight, scores in parts:
        items = scores.shape[1]
        # How often each item is drawn: the same as drawing items with replacement, in one call.
        counts = rng.multinomial(items, np.full(items, 1 / items), size=draws)
        # Not `@`: for matrices of this size its threads cost more than they save.
        totals += weight * np.einsum("si,di->sd", scores, counts) / items
    ranks = competition_ranks(totals)
    # inverted_cdf, so that the ends are ranks that were drawn and never lie between two of them.
    low, high = np.percentile(ranks, [2.5, 97.5], axis=1, method="inverted_cdf").astype(int)
    best = ranks == 1
    first = (best / best.sum(axis=0)).mean(axis=1)
    return [Ranking(int(one), int(two), float(p)) for one, two, p in zip(low, high, first, strict=True)]


def competition_ranks(totals: NDArray[np.float64]) -> NDArray[np.intp]:
    """Per column: 1 + how many rows are strictly better, on values rounded to 6 decimals."""
    # Unrounded, the last digit of a sum would break ties.
    values = -np.round(totals, DECIMALS)
    ranks = np.empty(values.shape, dtype=np.intp)
    for draw in range(values.shape[1]):
        column = values[:, draw]
        ranks[:, draw] = np.searchsorted(np.sort(column), column, side="left") + 1
    return ranks


def tie_groups(order: Sequence[int], distinct: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Subjects in `order` (best first) → number of their tie group, starting at 1.

    A group is everything not distinct from its best member: it opens with the best subject that is still free, and
    takes every later free one that no significant pair separates from that opener.
    """
    apart = {frozenset(pair) for pair in distinct}
    groups: dict[int, int] = {}
    number = 0
    for place, opener in enumerate(order):
        if opener in groups:
            continue
        number += 1
        for subject in order[place:]:
            if subject not in groups and frozenset((opener, subject)) not in apart:
                groups[subject] = number
    return groups
