"""A disk that fills up during a run, named as such: Inspect reports it as a missing file, a broken task or an error."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from steelyard.errors import LogError, SteelyardError

NO_ROOM = 1 << 16
"""Free bytes below which a disk is full: not even the head of a log fits."""

_SAYS_FULL = re.compile(r"No space left on device|Disk quota exceeded|database or disk is full|\bENOSPC\b")
_CURE = "free disk space, then run the same command again: finished samples are kept"


@contextmanager
def full_disk_named(log_dir: str) -> Generator[None]:
    """Report a failure of the block as a full disk if that is what it is, whatever Inspect made of it."""
    try:
        yield
    except SteelyardError:
        raise
    except Exception as error:  # the cause is looked for, and everything else goes on as it is
        refuse_full_disk(log_dir, _texts(error))
        raise


def refuse_full_disk(log_dir: str, failures: Iterable[str]) -> None:
    """Raise if one of these failures is that of a full disk: it says so, or the disk of the logs has no room."""
    failures = list(failures)
    full = [folder for folder in (Path(log_dir), Path(tempfile.gettempdir())) if _is_full(folder)]
    if failures and (full or any(map(_SAYS_FULL.search, failures))):
        raise LogError(f"the disk is full: {full[0] if full else log_dir}", cure=_CURE)


def _is_full(folder: Path) -> bool:
    with suppress(OSError):  # gone, or in a bucket
        return shutil.disk_usage(folder).free < NO_ROOM
    return False


def _texts(error: BaseException) -> Iterable[str]:
    """What an exception says, with its causes and members."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        if current is not None and id(current) not in seen:
            seen.add(id(current))
            yield str(current)
            waiting += [current.__cause__, current.__context__]
            if isinstance(current, BaseExceptionGroup):
                waiting += cast("BaseExceptionGroup[BaseException]", current).exceptions
