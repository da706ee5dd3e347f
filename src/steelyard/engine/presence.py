"""Who is at work in a log folder: whoever drives a run, and each of its workers, holds a lock as long as it lives.

A driver may be killed and started again at once, while workers of the first one still finish their samples. Two workers
on one task would pay for its calls twice and leave two logs, so the second driver waits for them. The kernel releases
the lock of a process that is gone, however it ended. Behind a URL, and on file systems without locks, there are none.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.location import Location

SUFFIX = ".lock"
_DRIVER = f"driver{SUFFIX}"


@contextmanager
def driving(folder: Location) -> Generator[None]:
    """Hold the folder of an engine; raises if another process drives a run there."""
    with _held(folder / _DRIVER, fcntl.LOCK_EX | fcntl.LOCK_NB):
        yield


@contextmanager
def at_work(selection: Location) -> Generator[None]:
    """Hold a selection while its tasks run, once nobody else does."""
    with _held(selection.with_suffix(SUFFIX), fcntl.LOCK_EX):
        yield


def wait_for_workers(folder: Location, waiting: Callable[[], None]) -> None:
    """Wait until no worker of an earlier driver is left; `waiting` is called if there is one."""
    if not isinstance(folder, Path):
        return
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if path.name != _DRIVER and not _free(path):
            waiting()
            with _held(path, fcntl.LOCK_EX):
                pass


def _free(path: Path) -> bool:
    try:
        with _held(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
            return True
    except InputError:
        return False


@contextmanager
def _held(path: Location, how: int) -> Generator[None]:
    if not isinstance(path, Path):
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        with suppress(OSError):  # a file system without locks
            try:
                fcntl.flock(handle, how)
            except BlockingIOError as error:
                raise InputError(
                    f"another process runs tasks into {path.parent.parent}",
                    cure="wait for it, or choose another --log-dir",
                ) from error
        yield
    finally:
        os.close(handle)
