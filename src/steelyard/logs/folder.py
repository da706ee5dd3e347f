"""Checks that the log folder is writable before a model is called: a lost answer would be paid for twice."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.errors import LogError, boundary
from steelyard.location import remote

if TYPE_CHECKING:
    from steelyard.location import Location

PROBE = 1 << 20
"""Bytes written as a test: more than the log of a full run on an embedded model (0.3 MB)."""


def ready_for_logs(folder: Location) -> None:
    """Create the folder and write to it once; raises with the cure when that fails."""
    if not isinstance(folder, Path):
        _ready_remote(folder)
        return
    with boundary(LogError, f"cannot write logs to {folder}", cure="choose another folder, or free disk space"):
        folder.mkdir(parents=True, exist_ok=True)
        # A file without a name: nothing is left behind, even if this process is killed.
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE))


def _ready_remote(folder: Location) -> None:
    cure = "check the name of the bucket, the endpoint, permissions and your credentials"
    with boundary(LogError, f"cannot write logs to {folder}", cure=cure):
        files, path = remote(folder)
        # A name of its own: another process may probe the same folder, and remove its probe, at the same time.
        probe = f"{path.rstrip('/')}/.steelyard-probe-{secrets.token_hex(8)}"
        files.pipe_file(probe, b"steelyard")
        files.rm_file(probe)
