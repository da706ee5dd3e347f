"""What a decision rests on: rounds of both arms as numbers. Frozen data.

Every array may have leading axes: a batch of comparisons is decided in one call, which is how
`benchmarks/gate_errors.py` simulates error rates through the real code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.paired import Array

Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed checks; checks run along the last axis. Own rounds include those in which only this task was watched."""

    full_before: Array
    """Failures of the baseline in full rounds, for the prior of a drop."""
    full_after: Array
    """The same of the candidate, for the prior of a gain."""
    before: Array
    after: Array
    rounds_before: Array
    rounds_after: Array
    full_rounds: tuple[int, int]
    """Full rounds of the baseline and of the candidate; they differ if the baseline is stored."""

    def exchanged(self) -> Failures:
        """The same with the arms exchanged: what looks worse there looks better here."""
        before, after = self.full_rounds
        return Failures(
            full_before=self.full_after,
            full_after=self.full_before,
            before=self.after,
            after=self.before,
            rounds_before=self.rounds_after,
            rounds_after=self.rounds_before,
            full_rounds=(after, before),
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """A baseline that ran earlier: its own error and a shift since then do not shrink with rounds of the candidate."""

    spread: Array
    """Variance of one run of each task on record; tasks run along the last axis."""
    runs: Array
    """Runs of each task on record."""
    drift: float
    """δ: standard deviation of a shift that all tasks share, per task."""

    @property
    def variance(self) -> Array:
        """Of the mean of each task's runs on record."""
        return self.spread / self.runs

    @property
    def shared(self) -> Array:
        """Variance of the mean delta per task that every round has in common."""
        return self.variance.sum(axis=-1) / self.spread.shape[-1] ** 2 + self.drift**2


@dataclass(frozen=True, slots=True)
class Observed:
    """Full rounds of both arms, and what is known of their checks."""

    deltas: Array
    """Composite of the candidate − baseline, tasks × rounds along the last two axes; with a stored baseline the
    difference from the mean of its runs."""
    failures: Failures | None = None
    """None where only counts or composites are known."""
    judged: bool = False
    """Whether a judge's score takes part in the composites, so that a task can get worse without a check."""
    before: Array | None = None
    """The baseline's part of the deltas, in the same shape, so that runs of a task can change sides in a test; without
    it only the signs of the deltas can."""
    stored: Stored | None = None
    """None if both arms ran side by side."""

    @property
    def tasks(self) -> int:
        return self.deltas.shape[-2]

    @property
    def rounds(self) -> int:
        """Full rounds."""
        return self.deltas.shape[-1]

    def exchanged(self) -> Observed:
        """The same with the arms exchanged."""
        failures = None if self.failures is None else self.failures.exchanged()
        before = None if self.before is None else self.before + self.deltas
        return Observed(-self.deltas, failures, self.judged, before, self.stored)
