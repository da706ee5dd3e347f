"""Progress on stderr: bars on a terminal, and otherwise a line at the start, every ten seconds and at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import click

from steelyard.cli.exit import bars
from steelyard.cli.options import note

LINE_EVERY_S = 10.0
"""Seconds between two lines about the same step."""


@dataclass(slots=True)
class _Step:
    started: float
    """When it began, in seconds of the clock."""
    printed: float
    """When the last line about it was printed."""
    repeated: _Repeated
    bar: Any
    """Its bar on a terminal."""
    done: int = 0
    total: int | None = None
    told_end: bool = False


class _Repeated:
    """How many calls were repeated since a step began, as text that is current whenever it is drawn.

    While calls wait for their next attempt nothing ends, so nobody reports progress: the bar must look by itself.
    """

    def __init__(self, retries: Callable[[], int]) -> None:
        self._retries, self._before = retries, retries()
        self._after: int | None = None

    def stop(self) -> None:
        """The step has ended; what is repeated later belongs to another one."""
        if self._after is None:
            self._after = self._retries()

    def __str__(self) -> str:
        number = (self._retries() if self._after is None else self._after) - self._before
        return f", {number} {'retry' if number == 1 else 'retries'}" if number else ""


class Bars:
    """Shows the progress of one or more steps: what is running, how far it is, and how long it will take.

    Steps may be reported from several threads.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, retries: Callable[[], int] = lambda: 0) -> None:
        self._clock, self._retries = clock, retries
        self._drawn: Any = None
        self._steps: dict[str, _Step] = {}
        self._lock = threading.RLock()
        self._over = threading.Event()

    def __enter__(self) -> Bars:
        if bars():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            console = Console(stderr=True)
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(24),
                TextColumn("{task.fields[count]}{task.fields[repeated]}"),
            )
            self._drawn = Progress(*columns, TimeElapsedColumn(), console=console)
            self._drawn.start()
        else:
            threading.Thread(target=self._repeat, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        if self._drawn is not None:
            self._drawn.stop()

    def tell(self, what: str, done: int, total: int | None = None) -> None:
        """Show that `done` samples of `total` of the step `what` have ended."""
        with self._lock:
            step = self._steps.get(what) or self._begin(what, total)
            step.done, step.total = done, total
            if total and done >= total:
                step.repeated.stop()
            if self._drawn is None:
                self._print(what, step)
            else:
                count = f"{done}/{total}" if total else str(done)
                self._drawn.update(step.bar, completed=done, total=total, count=count)

    def note(self, text: str) -> None:
        """Print a line about what happens next."""
        self._above(lambda: note(text))

    def trying(self, noun: str) -> Callable[[str, int, int], None]:
        """A reporter of attempts: what is tried now, and how many of the wanted `noun` there are."""

        def tell(what: str, done: int, wanted: int) -> None:
            if what:
                self.note(f"trying: {what}")
            self.tell(noun, done, wanted)

        return tell

    def print(self, text: str) -> None:
        """Print a result on stdout while other steps still run."""
        self._above(lambda: click.echo(text))

    def _above(self, write: Callable[[], None]) -> None:
        """Write while no bars are drawn."""
        with self._lock:
            if self._drawn is not None:
                self._drawn.stop()
            write()
            if self._drawn is not None:
                self._drawn.start()

    def _repeat(self) -> None:
        """Say what is still running although nothing new has ended."""
        # Looks twice per interval, so that a line is never late by a whole one.
        while not self._over.wait(LINE_EVERY_S / 2):
            with self._lock:
                for what, step in self._steps.items():
                    self._print(what, step)

    def _begin(self, what: str, total: int | None) -> _Step:
        now, repeated, bar = self._clock(), _Repeated(self._retries), None
        if self._drawn is None:
            note(f"running {what}")
        else:
            bar = self._drawn.add_task(what, total=total, count="", repeated=repeated)
        return self._steps.setdefault(what, _Step(now, now, repeated, bar))

    def _print(self, what: str, step: _Step) -> None:
        now, done, total = self._clock(), step.done, step.total
        if step.told_end:
            return
        if total and done >= total:
            note(f"{what}: {total} of {total} in {now - step.started:.0f} s{step.repeated}")
            step.told_end = True
        elif now - step.printed >= LINE_EVERY_S:
            note(f"{what}: {_count(done, total)}{_remaining(now - step.started, done, total)}{step.repeated}")
            step.printed = now


def _count(done: int, total: int | None) -> str:
    if total:
        return f"{done} of {total}"
    return str(done) if done else "still running"


def _remaining(elapsed_s: float, done: int, total: int | None) -> str:
    """How long the rest takes at the pace so far; empty while nothing has ended."""
    if not total or not done:
        return ""
    return f", about {elapsed_s / done * (total - done):.0f} s left"
