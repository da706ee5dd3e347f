"""The files Steelyard writes: each is written whole or not at all, and checked against its schema first.

A reader never sees half a file: the bytes go to a temporary file beside it, are flushed to disk, and take the name in
one step. Behind a URL a file is one object, which is uploaded whole. JSON is strict in both directions: NaN and
Infinity are rejected, and so are duplicate keys on reading.

A killed process does not leave its temporary files for ever. Each is locked as long as its process lives, and the
kernel drops the lock with the process; the next write under the same name removes those that nobody holds any more.
Without such locks (Windows) nothing is removed.
"""

from __future__ import annotations

import errno
import io
import json
import mimetypes
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from steelyard.errors import ArtifactError, InputError, boundary
from steelyard.location import remote

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from steelyard.location import Location

READ_LIMIT = 200_000_000
"""Size in bytes of the largest file that is read, unless the caller sets another limit."""
LOCKS = os.name == "posix"
"""Whether files can be locked in this way."""
SETTLED_S = 60.0
"""Age at which a leftover may be removed: a new one is not locked in the instant it is made."""
_IN_PLACE = {errno.EACCES, errno.EPERM, errno.EBUSY}
"""Why a file cannot be replaced that can be written: its folder takes no new one, its owner is another, it is mounted.
"""

closed_streams: set[int] = set()
"""Numbers of the standard streams that the caller of this process has closed, whatever stands there now."""


def write_bytes(path: Location, data: bytes) -> None:
    """Write `data` to `path` whole or not at all, creating missing folders.

    A device, a pipe or an open file (`/dev/stdout`) is written through, never replaced; a link stays and the file
    behind it is written. A file that exists keeps its owner and its permissions, and what a hard link also names stays
    as it was under that name. One that can be written but not replaced is written in place.
    """
    if not isinstance(path, Path):
        _upload(path, data)
        return
    with boundary(ArtifactError, f"cannot write {path}"):
        if path.is_dir():
            raise ArtifactError(f"cannot write {path}: it is a directory")
        if (number := _open_file(path)) is not None or (path.exists() and not path.is_file()):
            _write_through(path, number, data)
            return
        # Replace the file behind a link, so that the link itself stays.
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        before = _writable(path)
        try:
            _replace(path, data, before)
        except OSError as error:
            if before is None or error.errno not in _IN_PLACE:
                raise
            path.write_bytes(data)


def _writable(path: Path) -> os.stat_result | None:
    """The state of the file that stands there; one that is read-only is an error, because its folder would not mind."""
    if not path.exists():
        return None
    handle = os.open(path, os.O_WRONLY)
    try:
        return os.fstat(handle)
    finally:
        os.close(handle)


def _replace(path: Path, data: bytes, before: os.stat_result | None) -> None:
    """Put a new file into the place of one with the same owner and permissions."""
    # Cut, because the name may already be as long as the file system allows.
    prefix, suffix = f".{path.name[:40]}.", ".part"
    remove_leftovers(path.parent, prefix, suffix)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=suffix)
    try:
        with os.fdopen(handle, "wb") as part:
            hold(part.fileno())
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
            made = os.fstat(part.fileno())
        if before is not None and (before.st_uid, before.st_gid) != (made.st_uid, made.st_gid):
            os.chown(name, before.st_uid, before.st_gid)
        os.chmod(name, 0o666 & ~umask() if before is None else before.st_mode & 0o777)
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def _upload(path: Location, data: bytes) -> None:
    cure = "check the name of the bucket, permissions and your credentials"
    with boundary(ArtifactError, f"cannot write {path}", cure=cure):
        files, name = remote(path)
        # A page is shown by a browser only if its storage says that it is one.
        kind = mimetypes.guess_type(name)[0]
        options = {"ContentType": kind} if kind and "s3" in files.protocol else {}
        files.pipe_file(name, data, **options)


@contextmanager
def scratch_folder(prefix: str, *, suffix: str = "", beside: Path | None = None) -> Generator[Path]:
    """A fresh folder in the temp folder, or in `beside`; gone at the end, and after a kill with the next one."""
    parent = Path(tempfile.gettempdir()) if beside is None else beside
    remove_leftovers(parent, prefix, suffix)
    work = Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=parent))
    handle = os.open(work, os.O_RDONLY) if LOCKS else None
    try:
        if handle is not None:
            hold(handle)
        yield work
    finally:
        if handle is not None:
            os.close(handle)
        shutil.rmtree(work, ignore_errors=True)


def hold(handle: int) -> bool:
    """Lock an open file or folder until it is closed; False if somebody else holds it."""
    if LOCKS:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def remove_leftovers(parent: Path, prefix: str, suffix: str) -> None:
    """Remove what killed processes of this user left in `parent` under such a name."""
    if not LOCKS:
        return
    with suppress(OSError):
        for entry in list(os.scandir(parent)):
            if entry.name.startswith(prefix) and entry.name.endswith(suffix):
                _remove(Path(entry.path))


def _remove(path: Path) -> None:
    with suppress(OSError):
        status = path.lstat()
        ours = status.st_uid == os.geteuid() and time.time() - status.st_mtime > SETTLED_S
        if not ours or not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
            return
        # In a shared temp folder, anybody could plant a link with such a name.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            if hold(handle) and stat.S_ISDIR(status.st_mode):
                shutil.rmtree(path, ignore_errors=True)
            elif hold(handle):
                path.unlink()
        finally:
            os.close(handle)


def _open_file(path: Path) -> int | None:
    """The number of this process's open file that a path names: /dev/stdout, /dev/fd/3, or a link to one."""
    own = os.path.realpath("/proc/self/fd")
    while path.is_symlink() and path.exists():  # a loop of links does not exist
        if os.path.realpath(path.parent) == own and path.name.isdigit():
            return int(path.name)
        path = path.parent / path.readlink()
    return None


def _write_through(path: Path, number: int | None, data: bytes) -> None:
    if number in closed_streams:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if number is not None:
        sys.stdout.flush()  # what was printed before comes before
        handle = os.dup(number)
    else:
        # Not waiting at a pipe: without a reader, opening it would block for ever.
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)


def write_text(path: Location, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    # A lone surrogate in hostile text becomes "?": it must not cost the whole file.
    write_bytes(path, text.encode("utf-8", "replace"))


def write_json(path: Location, data: Any, *, schema: str | None = None) -> None:
    """Write `data` as JSON after checking it against the shipped `schema` (its name without `.schema.json`)."""
    write_text(path, json_text(data, schema=schema))


def json_text(data: Any, *, schema: str | None = None) -> str:
    """`data` as the JSON text that `write_json` would write."""
    if schema is not None:
        validate(data, schema)
    with boundary(ArtifactError, "cannot express the result as JSON"):
        return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_text(path: Location, limit: int = READ_LIMIT) -> str:
    """The UTF-8 text in `path`, without a byte order mark; more than `limit` bytes are an `InputError`."""
    with boundary(InputError, f"cannot read {path}"):
        return read_bytes(path, limit).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Location, limit: int = READ_LIMIT) -> bytes:
    """The bytes in `path`; more than `limit` are an `InputError`.

    Pipes are read (`<(…)` of a shell is one) and never waited for; one that brings nothing is an error, because nobody
    knows whether its writer came too late. A device without end stops at the limit.
    """
    with boundary(InputError, f"cannot read {path}"):
        if not isinstance(path, Path):
            files, name = remote(path)
            return _within(path, files.cat_file(name, start=0, end=limit + 1), limit)
        with opened(path) as file:
            data = file.read(limit + 1)
            if not data and stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
                raise InputError(f"nothing came through the pipe {path}", cure="start what writes to it, or use a file")
            return _within(path, data, limit)


def read_head(path: Location, size: int) -> bytes:
    """The first `size` bytes in `path`, or fewer if it ends before."""
    with boundary(InputError, f"cannot read {path}"), opened(path) as file:
        return file.read(size)


def opened(path: Location) -> BinaryIO:
    """A file, open for reading; only a pipe with a writer keeps its reader waiting."""
    if not isinstance(path, Path):
        return path.open("rb")
    # Not waiting at a pipe: without a writer, opening it would block for ever.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    os.set_blocking(handle, stat.S_ISFIFO(os.fstat(handle).st_mode))
    return io.BufferedReader(_Unwaiting(handle))


class _Unwaiting(io.FileIO):
    """Raises where reading would wait: a terminal, or /proc/kmsg, which claims to be a plain file."""

    def readinto(self, buffer: Buffer, /) -> int:
        count = cast(int | None, super().readinto(buffer))
        if count is None:
            raise OSError("it is not a plain file, and reading it may never end; copy it into a file")
        return count


def _within(path: Location, data: bytes, limit: int) -> bytes:
    if len(data) > limit:
        raise InputError(f"{path} is larger than {limit // 1_000_000} MB")
    return data


def read_json(path: Location) -> Any:
    """The JSON in `path`; anything that is not plain JSON is an `InputError` naming the file."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, source: str) -> Any:
    """`text` as strict JSON; `source` names it in the error."""
    with boundary(InputError, f"{source} is not valid JSON"):
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=unique_keys)


def table(value: object) -> dict[str, Any]:
    """An object in data whose form nobody promised, such as what another program prints; empty for anything else."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """The elements of a list or tuple in such data; none of anything else."""
    return list(cast(list[Any] | tuple[Any, ...], value)) if isinstance(value, (list, tuple)) else []


def validate(data: Any, schema: str) -> None:
    """Check `data` against a shipped schema; the error names the first field that does not fit."""
    from jsonpointer import JsonPointer

    with boundary(ArtifactError, f"cannot check the result against {schema}.schema.json"):
        problem = first_problem(validator(schema), data)
    if problem is not None:
        where = JsonPointer.from_parts(problem.instance_path).path or "the document"
        raise ArtifactError(f"{where} does not fit {schema}.schema.json: {problem.message}")


def first_problem(checker: Any, data: Any) -> Any:
    """What is wrong with `data` by a validator of `jsonschema_rs`, if anything is; half a character is no error."""
    try:
        return next(checker.iter_errors(data), None)
    except UnicodeEncodeError:
        # A lone surrogate in hostile text, which `write_text` will replace.
        text = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
        return next(checker.iter_errors(json.loads(text)), None)


@cache
def validator(schema: str) -> Any:
    """Finds what does not fit the shipped JSON Schema `schema`."""
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(schema_document(schema))


@cache
def schema_document(name: str) -> Any:
    """The shipped JSON Schema `name` (without `.schema.json`)."""
    return json.loads(resources.files("steelyard").joinpath("schemas", f"{name}.schema.json").read_text("utf-8"))


def unique_keys(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads(object_pairs_hook=…)`: a duplicate key is an error."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f"duplicate key {key!r}")
        members[key] = value
    return members


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def umask() -> int:
    """The permission bits that this process removes from the files it creates."""
    # Setting it to read it, as Python must, lets other threads make files that anybody can write for a moment.
    with suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"Umask:"):
                return int(line.split()[1], 8)
    current = os.umask(0)
    os.umask(current)
    return current
