"""What an engine is given, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How to execute a run."""

    name: str
    """A key of `ENGINES`."""
    workers: int | None = None
    """Workers at a time; the engine decides if absent."""
    cpus: float = 1.0
    """Processors that a task reserves on a cluster."""


@dataclass(frozen=True, slots=True)
class Job:
    """One task of a run, and the file that selects it."""

    identifier: str
    """Inspect's identifier of the task."""
    title: str
    """Task and model, for people."""
    definition: Path
    """What the run is (`definition`)."""
    selection: Path
    """Inspect's selection of this one task."""

    @property
    def output(self) -> Path:
        """Where a worker's own output goes."""
        return self.selection.with_suffix(".txt")


Ended = Callable[[Job, str | None], None]
"""Called with a job whose worker has ended, and why it failed or None; the logs say what it did."""


class Engine(Protocol):
    """Runs jobs somewhere."""

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        """Start a worker for each job, return when all have ended, and end them all on Ctrl-C."""
        ...

    def preview(self, jobs: Sequence[Job]) -> str:
        """What `run` would start, as text for people."""
        ...
