"""Folders that Inspect keeps in the user's home, moved into our cache if the home cannot be written to."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from steelyard.errors import LogError
from steelyard.toolchain import cache_folder

CURE = "set STEELYARD_CACHE to a folder that you can write to"
"""What helps when neither the home nor the cache can be written to."""


def ready_home() -> None:
    """Let Inspect keep its buffers and caches in our cache folder where the home is read-only."""
    for variable, folder in (
        ("XDG_DATA_HOME", platformdirs.user_data_path("inspect_ai")),
        ("XDG_CACHE_HOME", platformdirs.user_cache_path("inspect_ai")),
    ):
        if not _is_writable(folder):
            own = cache_folder() / "inspect"
            if not _is_writable(own):
                raise LogError(f"cannot write to {folder}, and not to {own} either", cure=CURE)
            os.environ[variable] = str(own)


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    # `mkdir` also succeeds for a folder that exists and is read-only.
    return os.access(folder, os.W_OK | os.X_OK)
