"""How far runs are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.options import one_or_several

if TYPE_CHECKING:
    from steelyard.status.model import Status


@one_or_several("logs")
def status(logs: Sequence[str | Path]) -> Status:
    """Count what has ended, what runs and what is left in folders of logs, also while they are written.

    Args:
        logs: Folders, files, globs, or anything else that Inspect can read.

    Returns:
        One line per subject and category, or per arm and round, and the logs that could not be read.

    Raises:
        LogError: No log was found.
    """
    return next(watch_status(logs))


@one_or_several("logs")
def watch_status(logs: Sequence[str | Path]) -> Iterator[Status]:
    """Take the status again and again; a log that has not changed is not read again.

    Args:
        logs: Folders, files, globs, or anything else that Inspect can read.

    Returns:
        The status at the moment of each step of the iterator, without end.

    Raises:
        LogError: No log was found.
    """
    from datetime import UTC, datetime

    from steelyard.status.cost import cost
    from steelyard.status.read import LogReader
    from steelyard.status.weigh import weigh

    reader = LogReader(logs)
    while True:
        yield weigh(reader.read(), datetime.now(UTC), cost)
