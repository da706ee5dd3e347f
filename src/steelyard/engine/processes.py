"""One worker process per task on this machine: Python runs transcripts, JSON and zip files under one lock."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard import process
from steelyard.engine.definition import worker_command
from steelyard.engine.protocol import PATIENCE_S, Ended, EngineOptions, Job, Problem
from steelyard.errors import one_line
from steelyard.process import isolated
from steelyard.secrets import redact

if TYPE_CHECKING:
    from steelyard.location import Location

TIED = "--tied"
"""Lets a worker end when this process, which holds the other end of its standard input, is gone."""


class Processes:
    """Worker processes, a few at a time. Mutable: it knows those that run, to end them."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._ending = False

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        """Run each job in a process of its own."""
        with ThreadPoolExecutor(self._workers) as pool:
            futures = {pool.submit(self._work, job): job for job in jobs}
            try:
                while futures:
                    for future in wait(futures, return_when=FIRST_COMPLETED).done:
                        again = ended(futures.pop(future), future.result())
                        if again is not None:
                            futures[pool.submit(self._work, again)] = again
            except BaseException:
                # Cancel the waiting jobs first, so that none starts while the others are being ended.
                pool.shutdown(wait=False, cancel_futures=True)
                self._end()
                raise

    def preview(self, jobs: Sequence[Job]) -> str:
        """The commands, one a line."""
        import shlex

        return "".join(shlex.join(worker_command(job.definition, job.selection)) + "\n" for job in jobs)

    def rejoin(self, folder: Location, waiting: Callable[[], None]) -> None:
        """Nothing to find: workers end with their driver, and hold their selections until then."""

    def close(self) -> None:
        """Nothing waits: a process ends with its job."""

    def _work(self, job: Job) -> Problem | None:
        if job.stopped:
            return None
        path = _output(job)
        with path.open("wb") as output:
            with self._lock:
                # Checked under the lock: nobody would interrupt a worker that starts after `_end` has made its list.
                if self._ending:
                    return Problem("not started")
                # A group of its own: Ctrl-C in the terminal reaches this process, which passes it on once.
                child = process.start(
                    worker_command(job.definition, job.selection, TIED),
                    env=isolated.own_environment(),
                    output=output,
                    errors=output,
                )
                self._running.add(child)
            code = child.wait()
        assert child.stdin is not None
        child.stdin.close()
        with self._lock:
            self._running.discard(child)
        return None if code == 0 else _reason(path, code)

    def _end(self) -> None:
        with self._lock:
            self._ending = True
            running = list(self._running)
        for child in running:
            # Tell all of them before waiting for any, so that they write their logs at the same time.
            child.send_signal(signal.SIGINT)
        for child in running:
            try:
                child.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill_group(child)


def _output(job: Job) -> Path:
    """Where a worker's own output goes: beside its selection, or into a temporary folder if that is behind a URL."""
    if isinstance(job.selection, Path):
        return job.selection.with_suffix(".txt")
    return Path(tempfile.gettempdir(), f"steelyard-{os.getpid()}-{job.selection.stem}.txt")


def _reason(output: Path, code: int) -> Problem:
    if code < 0:
        return Problem(f"its worker was killed by {signal.Signals(-code).name}", lost=True)
    return Problem(last_line(output, f"its worker ended with {code}"))


def last_line(output: Path, otherwise: str) -> str:
    """What a worker said last."""
    lines = output.read_text("utf-8", "replace").splitlines() if output.exists() else []
    last = next((line for line in reversed(lines) if line.strip()), otherwise)
    return one_line(redact(last.removeprefix("steelyard: ")), 300)


def create(options: EngineOptions) -> Processes:
    """As many workers as there are processors, unless a number is given."""
    return Processes(options.workers or os.cpu_count() or 1)
