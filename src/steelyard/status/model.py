"""The status of a folder of logs, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from steelyard.rows import LogRow, Problem, Tabular

State = Literal["done", "running", "stopped", "waiting"]
"""`stopped`: samples are left, or have failed, and no log of them is being written. `waiting`: there is no log yet."""


class WrittenLog(NamedTuple):
    """A log, and when it was last written."""

    row: LogRow
    written: datetime


class PlannedTask(NamedTuple):
    """A task that the folder's eval set names, whether or not it has a log."""

    task: str
    model: str
    written: datetime
    """When the list of the eval set was last written."""


class Observation(NamedTuple):
    """What a folder of logs shows at one moment."""

    logs: tuple[WrittenLog, ...]
    planned: tuple[PlannedTask, ...]
    problems: tuple[Problem, ...]
    """Logs that could not be read; one that is being written may be readable a moment later."""


@dataclass(frozen=True, slots=True)
class Line:
    """One subject in one category, or one arm in one round."""

    wing: str
    """`bench`, `audit`, `gate`, or empty for a log of something else."""
    subject: str
    """The model or its label; under `gate` the arm."""
    unit: str
    """The category, the suite, or the round."""
    state: State
    total: int
    """Samples × epochs that the logs were to run."""
    done: int
    """Ended with a number."""
    running: int
    """Not ended, in a log that is being written."""
    failed: int
    """Ended in an error."""
    unscored: int
    """Ended without a number."""
    tokens: int
    spent_usd: float
    """Of the samples whose cost is known."""
    unknown_cost: int
    """Samples whose cost is unknown."""
    left_s: float | None
    """Seconds left at the pace so far; None if that is unknown."""

    @property
    def left(self) -> int:
        """Not ended, and nothing is running them."""
        return self.total - self.done - self.running - self.failed - self.unscored


@dataclass(frozen=True, slots=True)
class Status(Tabular):
    """How far the runs of a folder are."""

    LINES = "lines"

    lines: tuple[Line, ...]
    problems: tuple[Problem, ...]
    active: bool
    """Whether a run goes on: a log is being written, or tasks wait between two of them."""

    @property
    def left_s(self) -> float | None:
        """Seconds until the slowest running line ends; None if nothing runs or its pace is unknown."""
        known = [line.left_s for line in self.lines if line.left_s is not None]
        return max(known, default=None)
