"""Rewriting a log: written whole or not at all, and never over a change that somebody else made meanwhile.

A `Draft` remembers the state of the file when it was read. It is written to a temporary file beside the log, flushed to
disk, and takes the log's place in one step. The temporary name is unique, because two processes may rewrite one log. If
the log has changed since it was read, nothing is written. A remote log is a single object: it is uploaded whole, on the
condition that its ETag is still the one that was read, which the storage checks in the same step. A storage without
such conditions is refused, because one of two writers would lose its scores.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from steelyard.errors import LogError, boundary
from steelyard.location import is_remote, remote
from steelyard.logs.remote import remote_state

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

    from steelyard.location import Location


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
    state: FileState | str | None
    """The file at `path` when the log was read: the ETag of a remote log, None if its storage has none."""


def read_draft(path: str | Location) -> Draft:
    """Read a log in order to rewrite it; raises `LogError` when it cannot be read."""
    from inspect_ai.log import read_eval_log

    with boundary(LogError, f"cannot read {path}"):
        if is_remote(path):
            remote_state(str(path))  # asks once whether anybody answers; Inspect would ask, and wait, many times
        state = None if is_remote(path) else _state(Path(str(path)))  # before reading: a later change must show
        log = read_eval_log(str(path))
        return Draft(log, str(path), log.etag if is_remote(path) else state)


def new_draft(log: EvalLog, path: Location) -> Draft:
    """A log to be written to a file that does not exist yet."""
    return Draft(log, str(path), ABSENT)


def write_draft(draft: Draft) -> None:
    """Write the log; raises `LogError`, and leaves the file as it is, when that fails or the file has changed."""
    with boundary(LogError, f"cannot write {draft.path}"):
        if is_remote(draft.path):
            _upload(draft)
        else:
            _replace(draft)


def _replace(draft: Draft) -> None:
    from inspect_ai.log import write_eval_log

    target = Path(draft.path)
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        write_eval_log(draft.log, part, format=_format(draft))
        _flush(part)
        if (_state(target) if target.exists() else ABSENT) != draft.state:
            raise _changed(draft)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _upload(draft: Draft) -> None:
    from inspect_ai.log import WriteConflictError, write_eval_log

    if draft.state != ABSENT and not isinstance(draft.state, str):
        raise LogError(
            f"{draft.path} cannot be rewritten safely: its storage has no conditional writes",
            cure="copy the logs to a folder on this machine and work there",
        )
    cure = "the bucket must allow conditional writes (If-Match, If-None-Match); or copy the logs to this machine"
    with boundary(LogError, f"cannot write {draft.path}", cure=cure):
        try:
            if isinstance(draft.state, str):
                write_eval_log(draft.log, draft.path, if_match_etag=draft.state)
            else:
                _create(draft)
        except WriteConflictError as error:
            raise _changed(draft) from error


def _create(draft: Draft) -> None:
    """Upload a log on the condition that there is none."""
    from inspect_ai.log import write_eval_log

    files, path = remote(draft.path)
    with tempfile.TemporaryDirectory() as scratch:
        part = Path(scratch, f"log.{_format(draft)}")
        write_eval_log(draft.log, part, format=_format(draft))
        try:
            files.pipe_file(path, part.read_bytes(), mode="create")
        except FileExistsError as error:
            raise _changed(draft) from error


def _format(draft: Draft) -> Literal["json", "eval"]:
    return "json" if draft.path.endswith(".json") else "eval"


def _changed(draft: Draft) -> LogError:
    return LogError(f"{draft.path} changed after it was read", cure="run the command again")


def _state(path: Path) -> FileState:
    status = path.stat()
    return FileState(status.st_size, status.st_mtime_ns)


def _flush(path: Path) -> None:
    """Make sure the bytes are on the disk before the file takes the place of a good log."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
