"""The vocabulary every wing speaks: a run has a number, or it has none and a reason.

    Outcome = Scored(value) | Unscored(fault, reason)

`fault` says whose failure it was. `model` faults are scored 0: a subject cannot buy itself out of a zero. The other
faults are ours, and a run that our own machinery broke is unscored, never 0 (docs/scoring.md §0).
Every comparison of two numbers (thresholds, tolerances, bands) is made on values rounded to 6 decimals: use `exact`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Fault: TypeAlias = Literal["model", "judge", "sandbox", "harness", "provider"]
"""Whose failure it was. Only `model` leaves a run scored."""

FAULTS: tuple[Fault, ...] = get_args(Fault)

OurFault: TypeAlias = Literal["judge", "sandbox", "harness", "provider"]
"""The faults that leave a run unscored: what the subject cannot cause."""

DECIMALS = 6
"""Decimals that count when two numbers are compared."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A run with a number."""

    value: float
    """Finite; the range is the scorer's."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"a score must be finite, not {self.value}")


@dataclass(frozen=True, slots=True)
class Unscored:
    """A run without a number, and why."""

    fault: OurFault
    reason: str
    """One line for a person."""


Outcome: TypeAlias = Scored | Unscored


def exact(value: float) -> float:
    """`value` as it enters a comparison: rounded to 6 decimals, and never negative zero."""
    return round(value, DECIMALS) + 0.0


def coverage(scored: int, expected: int) -> float:
    """Scored runs / expected runs, in [0, 1]; nothing expected is nothing covered."""
    return min(scored / expected, 1.0) if expected > 0 else 0.0
