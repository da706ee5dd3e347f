"""An engine whose workers are this process: what they do is real, and they start at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from steelyard.engine.protocol import Ended, Job
from steelyard.worker import problems_of

if TYPE_CHECKING:
    from steelyard.location import Location


class HereEngine:
    """Runs every job in this process, as a warm worker would."""

    def __init__(self, after: Callable[[Job], object] = lambda job: None) -> None:
        self.titles: list[str] = []
        """Jobs that had a worker."""
        self._after = after

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        for job in jobs:
            if not job.stopped:
                self.titles.append(job.title)
                assert problems_of(str(job.definition), str(job.selection)) == ()
                del os.environ["INSPECT_EVAL_SET_SELECTION"]  # a worker keeps it, but this process also drives
                self._after(job)
            ended(job, None)

    def preview(self, jobs: Sequence[Job]) -> str:
        return "".join(f"{job.title}\n" for job in jobs)

    def rejoin(self, folder: Location, waiting: Callable[[], None]) -> None:
        pass

    def close(self) -> None:
        pass
