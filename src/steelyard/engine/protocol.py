"""What an engine is given, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from steelyard.location import Location


PATIENCE_S = 30.0
"""How long workers have to write their logs after Ctrl-C, or when their driver is gone, before they are ended."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How to execute a run."""

    name: str
    """A key of `ENGINES`."""
    workers: int | None = None
    """Workers at a time; the engine decides if absent."""
    cpus: float = 1.0
    """Processors that a worker reserves on a cluster."""
    memory_gb: float | None = None
    """Memory that a worker reserves on a cluster."""
    ray_address: str | None = None
    """A Ray cluster: `HOST:6379`, `ray://HOST:10001` or `auto`. If absent, one that runs here, or a new one."""


@dataclass(frozen=True, slots=True)
class Job:
    """One task of a run, or a few that one worker runs side by side, and the file that selects them."""

    key: str
    """Names it within its run."""
    title: str
    """What it runs, for people."""
    definition: Location
    """What the run is (`definition`)."""
    selection: Location
    """Inspect's selection."""
    stop: Location | None = None
    """A file; once it exists, the job is not to be started any more."""

    @property
    def stopped(self) -> bool:
        """Whether the run has been stopped."""
        return self.stop is not None and self.stop.exists()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a worker did not finish its job."""

    reason: str
    lost: bool = False
    """Whether the worker itself went away; that says nothing about the job, so another worker may go on with it."""


Ended = Callable[[Job, Problem | None], Job | None]
"""Called with a job whose worker has ended, and why it failed or None; the logs say what it did.

Returns the job again if another worker should go on with it at once."""


class Engine(Protocol):
    """Runs jobs somewhere."""

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        """Start a worker for each job, return when all have ended, and end them all on Ctrl-C.

        A job that is stopped before it has a worker counts as ended.
        """
        ...

    def rejoin(self, folder: Location, waiting: Callable[[], None]) -> None:
        """Wait for the jobs that an earlier driver of the run in this folder has left where they run.

        What still works holds its selection (`presence`) and is waited for anyway; this is for what waits for its turn.
        `waiting` is called if there is something.
        """
        ...

    def preview(self, jobs: Sequence[Job]) -> str:
        """What `run` would start, as text for people."""
        ...

    def close(self) -> None:
        """Dismiss the workers that wait for more jobs."""
        ...
