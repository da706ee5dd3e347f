"""Progress on stderr: bars where a person watches, a line per step where nobody does."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from steelyard.cli.options import bars, note


class Bars:
    """One line per thing that runs, with how many of its samples have ended."""

    def __init__(self) -> None:
        self._drawn: Any = None
        self._lines: dict[str, Any] = {}

    def __enter__(self) -> Bars:
        if bars():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            console = Console(stderr=True)
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(24),
                TextColumn("{task.fields[count]}"),
            )
            self._drawn = Progress(*columns, TimeElapsedColumn(), console=console)
            self._drawn.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def tell(self, what: str, done: int, total: int | None = None) -> None:
        """`what` has ended `done` samples of `total`."""
        if what not in self._lines:
            if self._drawn is None:
                note(f"running {what}")
            self._lines[what] = self._drawn and self._drawn.add_task(what, total=total, count="")
        if self._drawn is not None:
            count = f"{done}/{total}" if total else str(done)
            self._drawn.update(self._lines[what], completed=done, total=total, count=count)
