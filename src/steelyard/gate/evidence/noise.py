"""What a suite varies by when nothing changes: the record of the same configuration on both sides (§3.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise record of one fingerprint."""

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
    settings: Mapping[str, float] = field(default_factory=dict[str, float])
    """The thresholds that gave those shares."""
