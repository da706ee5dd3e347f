"""What a suite varies by when nothing changes: the record of the same configuration on both sides (§3.6)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.rows import Tabular


@dataclass(frozen=True, slots=True)
class NoisyTask:
    """One task of an A/A comparison."""

    task: str
    runs: int
    """On both sides together."""
    pass_rates: Mapping[str, float]
    """Check name → share of runs that passed."""
    composite_sd: float | None
    """Standard deviation of the composite between runs."""
    flake_rate: float
    """Share of runs that differ from the task's usual result."""
    flake_low: float
    flake_high: float
    judge_sd: float | None = None
    """Standard deviation of the judge's score between runs; None without a judge."""
    judge_weight: float | None = None

    @property
    def varies(self) -> bool:
        """Whether two of its runs differ."""
        return self.flake_rate > 0 or bool(self.composite_sd)


@dataclass(frozen=True, slots=True)
class Noise(Tabular):
    """The noise record of one fingerprint."""

    LINES = "tasks"

    fingerprint: str
    """Hash of the fields that must be equal before runs may be compared."""
    created: str
    """ISO 8601, UTC."""
    rounds: int
    tasks: tuple[NoisyTask, ...]
    floor: float
    """The |net gain| that 95% of A/A comparisons stay under."""
    false_verdicts: Mapping[str, Mapping[str, float]]
    """Policy → verdict → share of A/A comparisons that it would have given."""
    resamples: int
    seed: int
    round_sd: float
    """Standard deviation of the mean delta per task in one round."""
    usd_per_round: float | None = None
    """What a round of both sides costs; None if some run does not say."""

    def floor_at(self, rounds: float) -> float:
        """The floor for comparisons with another number of rounds: chance shrinks with their square root."""
        return self.floor * math.sqrt(self.rounds / max(1.0, rounds))

    def summary(self, rounds: float) -> str:
        """The line for the report of a comparison of so many rounds with the same fingerprint."""
        contract = self.false_verdicts.get("contract", {})
        return (
            f"noise record of {self.created[:10]}: with the same configuration on both sides, 95% of comparisons stay "
            f"under a net gain of ±{self.floor_at(rounds):.3f} at {_rounds(rounds)}; with {_rounds(self.rounds)} "
            f"the contract rule calls {contract.get('regressed', 0.0):.0%} of them regressed and "
            f"{contract.get('improved', 0.0):.0%} improved"
        )


def _rounds(number: float) -> str:
    return "1 round" if number == 1 else f"{number:g} rounds"
