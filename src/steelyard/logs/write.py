"""Rewriting a log: written whole or not at all, and never over a change that somebody else made meanwhile.

A `Draft` remembers the state of the file when it was read. It is written to a temporary file beside the log, flushed to
disk, and takes the log's place in one step. The temporary name is unique, because two processes may rewrite one log. If
the log has changed since it was read, nothing is written. A remote log is a single object and is uploaded whole.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steelyard.errors import LogError, boundary

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog


class FileState(NamedTuple):
    """What tells one version of a local file from another."""

    size: int
    modified_ns: int


ABSENT = FileState(-1, -1)
"""The state of a file that does not exist."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A log in memory, to be written to `path`."""

    log: EvalLog
    path: str
    state: FileState | None
    """The file at `path` when the log was read; None for a remote log."""


def read_draft(path: str | Path) -> Draft:
    """Read a log in order to rewrite it; raises `LogError` when it cannot be read."""
    from inspect_ai.log import read_eval_log

    with boundary(LogError, f"cannot read {path}"):
        state = None if _is_remote(path) else _state(Path(path))  # before reading: a later change must show
        return Draft(read_eval_log(str(path)), str(path), state)


def new_draft(log: EvalLog, path: Path) -> Draft:
    """A log to be written to a file that does not exist yet."""
    return Draft(log, str(path), ABSENT)


def write_draft(draft: Draft) -> None:
    """Write the log; raises `LogError`, and leaves the file as it is, when that fails or the file has changed."""
    from inspect_ai.log import write_eval_log

    with boundary(LogError, f"cannot write {draft.path}"):
        if draft.state is None:
            write_eval_log(draft.log, draft.path)
            return
        target = Path(draft.path)
        part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
        try:
            write_eval_log(draft.log, part, format="json" if target.suffix == ".json" else "eval")
            _flush(part)
            if (_state(target) if target.exists() else ABSENT) != draft.state:
                raise LogError(f"{target} changed after it was read", cure="run the command again")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def _is_remote(path: str | Path) -> bool:
    return "://" in str(path)


def _state(path: Path) -> FileState:
    status = path.stat()
    return FileState(status.st_size, status.st_mtime_ns)


def _flush(path: Path) -> None:
    """Make sure the bytes are on the disk before the file takes the place of a good log."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
