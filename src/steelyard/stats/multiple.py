"""Many comparisons at once, by Holm.

    Sort p ascending; adjusted_(i) = max over j ≤ i of min(1, (m − j + 1)·p_(j))

A comparison that could not be made (None) is left out and stays None.
"""

from __future__ import annotations

from collections.abc import Sequence

ALPHA = 0.05
"""Significance level of every decision on a board."""


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm-adjusted p values, in the order given."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for done, (p, place) in enumerate(known):
        running = max(running, min(1.0, (len(known) - done) * p))
        adjusted[place] = running
    return adjusted
