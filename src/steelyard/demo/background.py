"""Runs of the bench in a process beside this one, with their progress.

A process and not a thread, because Inspect runs one evaluation at a time. It never outlives its parent: it ends when
the parent is gone, so that a demo that was killed and started again finds nobody else writing into its logs.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import TYPE_CHECKING, Any

from steelyard.errors import SteelyardError, one_line

if TYPE_CHECKING:
    from steelyard.bench.run.plan import RunSpec

Progress = Callable[[str, int, int], None]
"""Called with (what is running, how much of it is done, out of how much)."""


class Background:
    """The process, if there is anything to run; leaving the block ends it."""

    def __init__(self, runs: tuple[RunSpec, ...], progress: Progress) -> None:
        # Spawned: a fork would take over threads and event loops of this process.
        context = multiprocessing.get_context("spawn")
        self._receiving, self._sending = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(runs, self._sending), daemon=False)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._progress = progress
        self._problems: tuple[str, ...] | None = None if runs else ()

    def __enter__(self) -> Background:
        if self._problems is None:
            self._process.start()
            self._sending.close()  # ours: the end of the stream is then the end of the process
            self._listener.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process.is_alive() and kind is not None:
            self._process.terminate()
        self._wait()

    @property
    def pid(self) -> int | None:
        """Of the process, once it is started."""
        return self._process.pid

    def problems(self) -> tuple[str, ...]:
        """Wait for the end; why something is not finished, empty when all is well."""
        self._wait()
        if self._problems is None:
            return (f"the process beside the demo ended with {self._process.exitcode}; start the demo again",)
        return self._problems

    def _wait(self) -> None:
        if self.pid is not None:
            self._listener.join()
            self._process.join()

    def _listen(self) -> None:
        while True:
            try:
                message: Any = self._receiving.recv()
            except (EOFError, OSError):
                return
            if isinstance(message[0], str):
                self._progress(*message)
            else:
                (self._problems,) = message


def _work(runs: tuple[RunSpec, ...], sending: Connection[Any, Any]) -> None:
    """What the process does: messages are (what, done, total), and at the end (problems,)."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from steelyard.bench.run import run

    problems: list[str] = []
    try:
        for spec in runs:
            problems += run(spec, lambda what, done, total: sending.send((what, done, total))).problems
    except SteelyardError as error:
        problems.append(one_line(str(error), 200))
    except KeyboardInterrupt:
        os._exit(130)  # the parent got the same signal and reports it
    sending.send((tuple(problems),))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
