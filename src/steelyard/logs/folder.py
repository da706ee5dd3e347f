"""Checks that the log folder is writable before a model is called: a lost answer would be paid for twice."""

from __future__ import annotations

import tempfile
from pathlib import Path

from steelyard.errors import LogError, boundary

PROBE = 1 << 20
"""Bytes written as a test: more than the log of a full run on an embedded model (0.3 MB)."""


def ready_for_logs(folder: Path) -> None:
    """Create the folder and write to it once; raises with the cure when that fails."""
    with boundary(LogError, f"cannot write logs to {folder}", cure="choose another folder, or free disk space"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE))
