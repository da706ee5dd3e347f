"""Rewriting a log: written whole or not at all, and never over a change that somebody else made meanwhile.

A `Draft` remembers the state of the file when it was read. It is written to a temporary file beside the log, flushed to
disk, and takes the log's place in one step. If the log has changed since it was read, nothing is written. A remote log
is a single object: it is copied to this machine, rewritten there and uploaded whole, on the condition that its ETag is
still the one that was read, which the storage checks in the same step.
"""

from __future__ import annotations

import os
import secrets
import shutil
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, NamedTuple

from steelyard.artifact import scratch_folder
from steelyard.errors import LogError, boundary
from steelyard.location import is_remote, location, remote
from steelyard.logs.rewrite import Format, rewrite
from steelyard.logs.stored import Stored, stored

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

    from steelyard.location import Location
    from steelyard.logs.rewrite import Edits


class FileState(NamedTuple):
    """What tells one version of a local file from another."""

    size: int
    modified_ns: int


ABSENT = FileState(-1, -1)
"""The state of a file that does not exist."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A log to be written to `path`: its header as it shall be, and where its samples are."""

    log: EvalLog
    """Its samples have no transcripts: enough to decide what to do with them."""
    path: str
    state: FileState | str | None
    """The file at `path` when the log was read: the ETag of a remote log, None if its storage has none."""
    source: Stored
    """The whole samples, on this machine."""

    def copied_to(self, path: Location) -> Draft:
        """The same log, to be written to a file that does not exist yet."""
        return replace(self, path=str(path), state=ABSENT)


def read_draft(path: str | Location, see: Callable[[EvalSample], None] | None = None) -> Draft:
    """Read a log in order to rewrite it; raises `LogError` when it cannot be read.

    `see` is called with each sample while it still has its store.
    """
    with boundary(LogError, f"cannot read {path}"):
        if is_remote(path):
            return _remote_draft(str(path), see)
        file = Path(str(location(path)))
        state = _state(file)  # before reading: a later change must show
        source = stored(file)
        return Draft(source.light(see), str(file), state, source)


def _remote_draft(url: str, see: Callable[[EvalSample], None] | None) -> Draft:
    """A draft of a copy on this machine; the version of the log is asked for first, so that a later change shows."""
    files, path = remote(url)
    # Before fetching: a later change must show.
    etag = _etag(files, path)
    folder = mkdtemp()
    source = stored(Path(folder, f"log.{_format(url)}"))
    # The copy is read until the draft is gone: whole samples are never all in memory.
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    files.get_file(path, str(source.path))
    log = source.light(see).model_copy(update={"location": url})
    return Draft(log, url, etag, source)


def write_draft(draft: Draft, edits: Edits | None = None) -> None:
    """Write the log, and apply `edits` to the whole samples that they name.

    Raises:
        LogError: That failed, or the file has changed since it was read; it is left as it is.
    """
    with boundary(LogError, f"cannot write {draft.path}"):
        if is_remote(draft.path):
            _upload(draft, edits or {})
        else:
            _replace(draft, edits or {})


def _replace(draft: Draft, edits: Edits) -> None:
    target = Path(draft.path)
    # Beside the log, because a rename is atomic only within a file system; unique, because two processes may write it.
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with _unless_changed(draft):
            rewrite(draft.log, draft.source, edits, part, _format(draft.path))
            _flush(part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _unless_changed(draft: Draft) -> Generator[None]:
    """Raise if the file has changed by the end of the block, also if that is what made the block fail."""
    target = Path(draft.path)
    try:
        yield
    finally:
        if (_state(target) if target.exists() else ABSENT) != draft.state:
            raise _changed(draft)


def _upload(draft: Draft, edits: Edits) -> None:
    # Without conditional writes, one of two writers would lose its scores.
    if draft.state != ABSENT and not isinstance(draft.state, str):
        raise LogError(
            f"{draft.path} cannot be rewritten safely: its storage has no conditional writes",
            cure="copy the logs to a folder on this machine and work there",
        )
    cure = "the bucket must allow conditional writes (If-Match, If-None-Match); or copy the logs to this machine"
    with scratch_folder("steelyard-log-") as scratch, boundary(LogError, f"cannot write {draft.path}", cure=cure):
        part = scratch / "log"
        rewrite(draft.log, draft.source, edits, part, _format(draft.path))
        _put(draft, part.read_bytes())  # not as a file: a second attempt must not begin at its end


def _put(draft: Draft, data: bytes) -> None:
    """Upload on a condition, which the storage checks in the same step."""
    files, path = remote(draft.path)
    try:
        if not isinstance(draft.state, str):
            files.pipe_file(path, data, mode="create")
        elif _etag(files, path) != draft.state:  # for a storage that ignores the condition
            raise _changed(draft)
        else:
            bucket, key, _ = files.split_path(path)
            files.call_s3("put_object", Bucket=bucket, Key=key, Body=data, IfMatch=f'"{draft.state}"')
    except OSError as error:
        if isinstance(error, FileExistsError) or "PreconditionFailed" in repr(error.__cause__):
            raise _changed(draft) from error
        raise
    files.invalidate_cache(path)


def _etag(files: Any, path: str) -> str | None:
    """The version of an object as it is now; None if its storage has no conditional writes."""
    files.invalidate_cache(path)
    etag = files.info(path).get("ETag")
    return str(etag).strip('"') if etag else None


def _format(path: str) -> Format:
    return "json" if path.endswith(".json") else "eval"


def _changed(draft: Draft) -> LogError:
    return LogError(f"{draft.path} changed after it was read", cure="run the command again")


def _state(path: Path) -> FileState:
    status = path.stat()
    return FileState(status.st_size, status.st_mtime_ns)


def _flush(path: Path) -> None:
    """Make sure the bytes are on the disk before the file takes the place of a good log."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
