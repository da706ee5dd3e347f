"""Waiting for an event instead of for the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

HANG_S = 600
"""Seconds that only a hang reaches, on however busy a machine."""


def until(holds: Callable[[], bool]) -> bool:
    """Wait until a condition holds; False after `HANG_S` seconds. Looks less often the longer it takes."""
    deadline, pause_s = time.monotonic() + HANG_S, 0.01
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
        pause_s = min(1.2 * pause_s, 0.2)
    return True


def alive(pid: int) -> bool:
    """Whether a process still runs; one that has ended but was not waited for does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pids: Iterable[int]) -> bool:
    """Wait until every process has ended: a killed one may take a moment to go."""
    left = list(pids)
    return until(lambda: not any(map(alive, left)))
