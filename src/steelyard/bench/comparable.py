"""May two runs of a category be compared? The one rule that boards, pools, differences and resumed runs ask.

Two runs are comparable when their fingerprints are equal. A run without a fingerprint is comparable only with another
one without. Verifiers that hold one law (`Category.interchangeable`) may differ in name, never in version alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from steelyard.bench.category import Category
from steelyard.stamp import Fingerprint, differences


def unlike(one: Fingerprint | None, other: Fingerprint | None, category: Category | None = None) -> tuple[str, ...]:
    """The fields that forbid a comparison; empty when there are none. Without a category every field counts."""
    if one is None or other is None:
        return () if one is other else ("fingerprint",)
    fields = differences(one, other)
    names = {fingerprint.scorer.partition("@")[0] for fingerprint in (one, other)}
    # Two different verifiers of the same law are fine; one verifier in two versions is not.
    if category is not None and category.interchangeable and len(names) == 2 and names <= set(category.scorers):
        return tuple(field for field in fields if field != "scorer")
    return fields


class Timed(Protocol):
    """A result, of one category or of several, with the time that its items took."""

    @property
    def items(self) -> Mapping[str, Any]: ...

    @property
    def latency(self) -> Mapping[str, Any]: ...


def same_runs(one: Timed, other: Timed) -> bool:
    """Whether two results are of the same runs, whatever their files are called: no two runs take equal times."""
    return bool(one.latency) and one.latency == other.latency and one.items == other.items
