"""The folder that logs go to, tried before a model is asked: an answer that cannot be kept is paid for twice."""

from __future__ import annotations

import tempfile
from pathlib import Path

from steelyard.errors import LogError, boundary

PROBE = 1 << 20
"""Bytes it must take: more than a full log of an embedded subject, 0.3 MB at most, and little to ask of a disk."""


def ready_for_logs(folder: Path) -> None:
    """Make the folder and write to it once; raises with the cure when it does not take a log."""
    with boundary(LogError, f"cannot write logs to {folder}", cure="name another folder, or make room there"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE))
