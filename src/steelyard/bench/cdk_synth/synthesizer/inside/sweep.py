# Plain calls on purpose: this code is forked and loads nothing it does not need.
"""Empties the writable folders between two apps. If that fails, the kernel is replaced."""

from __future__ import annotations

import contextlib
import os
import stat

FOLDERS = ("/work/cdk.out", "/work", "/tmp", "/var/tmp", "/home/sandbox", "/dev/shm", "/kernel")
"""Every folder that an app or Node can write to; an inner mount comes before its parent."""
KEEP = {"/work": ("cdk.out",), "/kernel": ("modules",)}
ENTRY_LIMIT = 20_000
"""Files and folders that an app may have in one of these; it is stopped when it has more."""
SWEEP_LIMIT = 3 * ENTRY_LIMIT
"""With more entries than this, replacing the kernel is cheaper than removing them."""
DEPTH_LIMIT = 500
"""Folders within folders that are removed."""


def sweep() -> str | None:
    """Empty all folders; returns the reason if that fails."""
    budget = [SWEEP_LIMIT]
    _unlock()
    for folder in FOLDERS:
        try:
            _empty(folder, KEEP.get(folder, ()), budget, 0)
            if set(os.listdir(folder)) - set(KEEP.get(folder, ())):
                return f"{folder} is not empty"
            if _changed(folder):
                return f"{folder} has other permissions"
        except (OSError, RecursionError, OverflowError) as error:
            return f"{folder}: {error}"
    return None


def remember() -> None:
    """Record the permissions of the folders before the first app."""
    for folder in FOLDERS:
        _before[folder] = _look(folder)


_before: dict[str, tuple[int, tuple[str, ...]]] = {}


def _unlock() -> None:
    """Give the folders back their permissions, outer ones first: without root an app owns them, and may lock them."""
    for folder in sorted(_before):
        with contextlib.suppress(OSError):
            if stat.S_IMODE(os.stat(folder).st_mode) != _before[folder][0]:
                os.chmod(folder, _before[folder][0])


def _look(folder: str) -> tuple[int, tuple[str, ...]]:
    # Extended attributes too: an app could leave the next one a message in them.
    return stat.S_IMODE(os.stat(folder).st_mode), tuple(sorted(os.listxattr(folder)))


def _changed(folder: str) -> bool:
    return _look(folder) != _before[folder]


def _empty(folder: str, keep: tuple[str, ...], budget: list[int], depth: int) -> None:
    if depth > DEPTH_LIMIT:
        raise OverflowError("too deep")
    with os.scandir(folder) as entries:
        listed = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries if entry.name not in keep]
    for path, is_folder in listed:
        budget[0] -= 1
        if budget[0] < 0:
            raise OverflowError("too many files")
        if is_folder:
            # The app may have locked it.
            os.chmod(path, 0o700)
            _empty(path, (), budget, depth + 1)
            os.rmdir(path)
        else:
            os.unlink(path)
