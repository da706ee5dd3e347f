"""Stops a run on an engine: a file beside the logs tells engines and workers to start nothing new.

Workers do not know what the others spend. The process that drives the run does: it reads their logs again and again,
and writes the file once they show that the budget is spent. Nothing under way is interrupted. The overrun is therefore
what is in flight then, plus what starts between two looks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from steelyard import artifact
from steelyard.errors import SteelyardError

if TYPE_CHECKING:
    from steelyard.location import Location

FILE = "stop.json"
"""Its name in the folder of the engine."""

LOOK_S = 2.0
"""Seconds between two looks at the logs; more if a look takes long."""

ASK_S = 1.0
"""Seconds for which a worker believes that the run goes on."""

Reason = Callable[[], str | None]
"""Why nothing new may start, or None."""


class Stop:
    """The file that stops a run. Mutable: it remembers why it was written."""

    def __init__(self, path: Location, reason: Reason) -> None:
        # Left by an earlier start. Each start has the whole budget.
        path.unlink(missing_ok=True)
        self._path, self._reason = path, reason
        self._lock = threading.Lock()
        self.why: str | None = None

    def look(self) -> str | None:
        """Ask whether the run must stop, and write the file if so; returns why."""
        with self._lock:
            if self.why is None and (why := self._reason()) is not None:
                artifact.write_json(self._path, {"reason": why})
                self.why = why
            return self.why

    @contextmanager
    def watching(self) -> Generator[None]:
        """Look again and again while the block runs."""
        over = threading.Event()
        thread = threading.Thread(target=self._watch, args=(over,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _watch(self, over: threading.Event) -> None:
        pause = LOOK_S
        while not over.wait(pause):
            begun = time.monotonic()
            try:
                if self.look() is not None:
                    return
            except SteelyardError:
                pass  # a folder that cannot be read now may be readable later; the last look is not in this thread
            # At most a sixth of the time is spent looking, however large the folder is.
            pause = max(LOOK_S, 5 * (time.monotonic() - begun))


def stopped(path: Location) -> Callable[[], bool]:
    """Whether the run was stopped, for its workers."""
    asked, answer = -ASK_S, False

    def ask() -> bool:
        nonlocal asked, answer
        # A run that was stopped stays stopped.
        if not answer and time.monotonic() - asked >= ASK_S:
            asked, answer = time.monotonic(), path.exists()
        return answer

    return ask
