"""A disk that fills up during a run, named as such: Inspect reports it as a missing file, a broken task or an error."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from steelyard.errors import LogError, SteelyardError

NO_ROOM = 1 << 16
"""Free bytes below which a disk is full: not even the head of a log fits."""

_SAYS_FULL = ("No space left on device", "Disk quota exceeded", "database or disk is full", "ENOSPC")
_CURE = "free disk space, then run the same command again: finished samples are kept"


@contextmanager
def full_disk_named(log_dir: str) -> Generator[None]:
    """Report a failure of the block as a full disk if that is what it is, whatever Inspect made of it."""
    try:
        yield
    # It already says what is wrong, and what helps.
    except SteelyardError:
        raise
    except Exception as error:  # the cause is looked for, and everything else goes on as it is
        refuse_full_disk(log_dir, _texts(error))
        raise


def refuse_full_disk(log_dir: str, failures: Iterable[str]) -> None:
    """Raise if one of these failures is that of a full disk: it says so, or a disk that a run writes to has no room.

    The disk with the least room is named: what did not fit has mostly been removed again by then.
    """
    failures = list(failures)
    room = _room(Path(log_dir), Path(tempfile.gettempdir()))
    least = min(room, key=lambda folder: room[folder], default=None)
    said = any(words in failure for failure in failures for words in _SAYS_FULL)
    if failures and (said or (least is not None and room[least] < NO_ROOM)):
        raise LogError(f"the disk is full: {least or log_dir}", cure=_CURE)


def _room(*folders: Path) -> dict[Path, int]:
    """The first folder on each disk → free bytes there; without those that are gone, or in a bucket."""
    room: dict[int, tuple[Path, int]] = {}
    for folder in folders:
        with suppress(OSError):
            room.setdefault(folder.stat().st_dev, (folder, shutil.disk_usage(folder).free))
    return dict(room.values())


def _texts(error: BaseException) -> Iterable[str]:
    """What an exception says, with its causes and members."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        # A chain of causes may lead back to an exception that was already looked at.
        if current is not None and id(current) not in seen:
            seen.add(id(current))
            yield str(current)
            waiting += [current.__cause__, current.__context__]
            if isinstance(current, BaseExceptionGroup):
                waiting += cast("BaseExceptionGroup[BaseException]", current).exceptions
