"""The reading of a difference in words, one for all reports (docs/scoring.md §1.6).

The measured reading is the headline: it asks what so few items can show. The declared one goes by the size of the
difference alone; it stands in a column that says so, and only on the boards whose methodology declares it.
"""

from __future__ import annotations

from steelyard.bench.model import Pair
from steelyard.bench.suite import Suite
from steelyard.report import numbers

BY_SIZE = "By size alone"
"""Head of the column with the declared reading."""


def reading(pair: Pair) -> str:
    """The headline of a pair: whether the two differ, or what would settle it."""
    if pair.measured == "distinct" and pair.declared == "equivalent":
        return "distinct, by 5 points or less"
    if pair.measured == "unresolved" and pair.needed is not None:
        return f"unresolved, n ≈ {numbers.count(pair.needed)}"
    return pair.measured


def sentence(pair: Pair) -> str:
    """The reading with its p-value and what would settle it; the declared word last, named for what it is."""
    text = pair.measured
    if pair.p_holm is not None:
        text += f" ({numbers.p_value(pair.p_holm)}, Holm)"
    if pair.needed is not None:
        text += f"; n ≈ {numbers.count(pair.needed)} would settle it"
    return text + (f"; by size alone: {pair.declared}" if pair.declared else "")


def legend(suite: Suite) -> str:
    """How the columns of a table of pairs come about."""
    measured = (
        "Reading: paired on the same items, Holm over all pairs; an unresolved pair names the items that would settle "
        "it."
    )
    return f"{measured} {by_size(suite)}" if suite.declares else measured


def by_size(suite: Suite) -> str:
    """The words of the declared methodology, and what they do not say."""
    unsure = [category.short for category in suite.categories.values() if category.confidence != "high"]
    unclear = f" (unclear for {' and '.join(unsure)})" if unsure else ""
    return (
        f"{BY_SIZE}: the declared words for Δ, up to 5 points equivalent, up to 10 likely{unclear}, above definite; "
        "they do not ask whether these items can show it."
    )
