"""Runs of the bench in a process beside this one, with their progress.

A process and not a thread, because Inspect runs one evaluation at a time. It never outlives its parent: it ends when
the parent is gone, so that a demo that was killed and started again finds nobody else writing into its logs.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

from steelyard import process
from steelyard.process import isolated

if TYPE_CHECKING:
    from steelyard.bench.run import Progress
    from steelyard.bench.run.plan import RunSpec

MODULE = "steelyard.demo.beside"
"""What the process runs."""


class Background:
    """The process, if there is anything to run; leaving the block ends it."""

    def __init__(self, runs: tuple[RunSpec, ...], progress: Progress) -> None:
        self._runs, self._progress = runs, progress
        self._child: subprocess.Popen[bytes] | None = None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._problems: tuple[str, ...] | None = None if runs else ()

    def __enter__(self) -> Background:
        if self._runs:
            self._child = process.start(isolated.python("-m", MODULE), env=isolated.own_environment(), errors=None)
            assert self._child.stdin is not None
            pickle.dump(self._runs, self._child.stdin)
            self._child.stdin.flush()  # and left open: its end is the end of this process
            self._listener.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._child is not None and kind is not None:
            self._child.terminate()
        self._wait()

    @property
    def pid(self) -> int | None:
        """Of the process, once it is started."""
        return None if self._child is None else self._child.pid

    def problems(self) -> tuple[str, ...]:
        """Wait for the end; why something is not finished, empty when all is well."""
        self._wait()
        if self._problems is None:
            code = None if self._child is None else self._child.returncode
            return (f"the process beside the demo ended with {code}; start the demo again",)
        return self._problems

    def _wait(self) -> None:
        if self._child is not None and self._child.stdout is not None and self._child.stdin is not None:
            self._listener.join()
            self._child.wait()
            self._child.stdin.close()
            self._child.stdout.close()

    def _listen(self) -> None:
        assert self._child is not None and self._child.stdout is not None
        for line in self._child.stdout:
            message: list[Any] = json.loads(line)
            if isinstance(message[0], str):
                self._progress(message[0], message[1], message[2])
            else:
                self._problems = tuple(message[0])
