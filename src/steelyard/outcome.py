"""The result of a run in every wing: a number, or the reason why there is none.

    Outcome = Scored(value) | Unscored(fault, reason)

`fault` says whose failure it was. `model` faults are scored 0: a subject cannot avoid a zero by failing. The other
faults are ours, and a run that fails because of us is unscored, never 0 (docs/scoring.md §0).
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
"""The faults that leave a run unscored; the subject cannot cause them."""

PROVIDER_FAULT = "provider: "
"""How the error of a run begins that the provider failed, in every log; no other error of a run begins so."""

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
    """A run without a number, and the reason."""

    fault: OurFault
    reason: str
    """One line for the reader."""


Outcome: TypeAlias = Scored | Unscored


def outcome_of_error(error: str) -> Unscored:
    """The outcome of a run that ended with an error: the provider's fault if it begins so, else ours."""
    stated = error.removeprefix(PROVIDER_FAULT)
    return Unscored("harness" if stated == error else "provider", stated)


def exact(value: float) -> float:
    """`value` as it enters a comparison: rounded to 6 decimals, and never negative zero."""
    return round(value, DECIMALS) + 0.0
