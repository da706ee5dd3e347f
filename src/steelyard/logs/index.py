"""An index of logs that were read before, so that a folder of thousands is not read again (design/0004).

One SQLite file in the cache folder: path and view → version of the file, digest, packed row. What rows share is kept
once, in a table of its own. An entry counts only if the file still has the same version and the digest fits; anything
else is read again and replaced. An index that cannot be used is deleted and begun anew; one that cannot be written is
done without. Rows are kept as JSON, so that a forged index cannot run code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.errors import SteelyardError
from steelyard.location import is_remote
from steelyard.logs.packed_rows import Packed, SharedParts, dump_part, unpack
from steelyard.rows import LogRow, RunRow, ScoreRow
from steelyard.toolchain import cache_folder

_FIELDS = [field.name for kind in (LogRow, RunRow, ScoreRow) for field in dataclasses.fields(kind)]
FORMAT = f"6-{hashlib.blake2b(repr(_FIELDS).encode(), digest_size=4).hexdigest()}"
"""An index of another format is never read. The number goes up whenever the meaning of a field changes."""

SIZE_LIMIT = 2_000_000_000
"""Bytes above which the index is begun anew: entries of deleted logs stay in it."""

RECENT_NS = 2_000_000_000
"""A file younger than this is not entered: it may change again without a change of its time."""

_TABLES = (
    """CREATE TABLE IF NOT EXISTS rows (
        path TEXT NOT NULL, view TEXT NOT NULL, state TEXT NOT NULL, digest BLOB NOT NULL,
        own BLOB NOT NULL, runs BLOB NOT NULL, texts BLOB NOT NULL, head BLOB NOT NULL,
        PRIMARY KEY (path, view)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS shared (digest BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",
)


class Entry(NamedTuple):
    """A row to keep."""

    path: str
    state: str
    row: Packed


def index_path() -> Path:
    """The file of the index."""
    return cache_folder() / "logs" / f"index-{FORMAT}.sqlite"


def state_of_file(path: str) -> str:
    """The version of a local file; empty if it has none that can be relied on."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    if time.time_ns() - status.st_mtime_ns < RECENT_NS:
        return ""
    # Time of change and inode, too: a program can set the time of modification back, but not these.
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def key_of(path: str) -> str:
    """How the index calls a log."""
    return path if is_remote(path) else os.path.abspath(path)


def known_rows(states: Mapping[str, str], view: str, parts: SharedParts) -> dict[str, LogRow]:
    """Path → row, of the logs that were read before in this version; `states` maps path to version."""
    keys = {key_of(path): path for path, state in states.items() if state}
    if not keys:
        return {}
    try:
        with closing(_connect()) as connection:
            return _known(connection, keys, states, view, parts)
    except sqlite3.DatabaseError as error:
        # Locked, or in a read-only folder, it may be used again; damaged, or with other tables, it may not.
        if not isinstance(error, sqlite3.OperationalError) or error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            _delete()
        return {}
    except (OSError, SteelyardError):
        return {}


def remember(entries: Iterable[Entry], view: str, parts: SharedParts) -> None:
    """Keep rows for the next time; a failure is not one of the command."""
    records: list[tuple[str | bytes, ...]] = []
    digests: set[bytes] = set()
    for path, state, row in entries:
        key = key_of(path)
        records.append((key, view, state, _digest(key, state, row), *row))
        digests |= {row.texts, row.head}
    if not records:
        return
    shared = [(digest, dump_part(parts[digest])) for digest in digests]
    with suppress(sqlite3.Error, OSError, SteelyardError):
        if index_path().exists() and index_path().stat().st_size > SIZE_LIMIT:
            _delete()
        # As a context of its own, a connection commits or rolls back; it does not close.
        with closing(_connect()) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO shared VALUES (?, ?)", shared)
            connection.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?)", records)


def _known(
    connection: sqlite3.Connection, keys: Mapping[str, str], states: Mapping[str, str], view: str, parts: SharedParts
) -> dict[str, LogRow]:
    rows: dict[str, LogRow] = {}
    # Sorted, so that each part is a range of the table.
    for part in _parts(sorted(keys)):
        for key, state, digest, *fields in _query(connection, part, view):
            path = keys.get(key)
            # A forged entry may hold values of any type.
            if path is None or state != states[path] or set(map(type, fields)) != {bytes}:
                continue
            packed = Packed(*fields)
            if digest == _digest(key, state, packed) and _load(connection, packed, parts):
                with suppress(ValueError, TypeError, KeyError):
                    rows[path] = unpack(path, packed, parts)
    return rows


def _query(connection: sqlite3.Connection, keys: Sequence[str], view: str) -> list[Any]:
    """The entries of these logs, and perhaps some between them."""
    # Reading a range takes half as long as looking up each log, unless it holds many others.
    columns = "SELECT path, state, digest, own, runs, texts, head FROM rows WHERE view = ? AND path"
    most = 2 * len(keys)
    found = connection.execute(f"{columns} BETWEEN ? AND ? LIMIT ?", (view, keys[0], keys[-1], most)).fetchall()
    if len(found) < most:
        return found
    marks = ",".join("?" * len(keys))
    return connection.execute(f"{columns} IN ({marks})", (view, *keys)).fetchall()


def _load(connection: sqlite3.Connection, row: Packed, parts: SharedParts) -> bool:
    """Make sure that what a row shares is there; False if it is missing or damaged."""
    if row.texts in parts and row.head in parts:
        return True
    return all(digest in parts or _load_part(connection, digest, parts) for digest in (row.texts, row.head))


def _load_part(connection: sqlite3.Connection, digest: bytes, parts: SharedParts) -> bool:
    record = connection.execute("SELECT data FROM shared WHERE digest = ?", (digest,)).fetchone()
    if record is None or not isinstance(record[0], bytes):
        return False
    with suppress(ValueError, TypeError, KeyError):
        return parts.add_bytes(digest, record[0])
    return False


def _parts(keys: list[str]) -> Iterable[list[str]]:
    # SQLite allows a limited number of parameters per statement: 999 in versions before 3.32.
    return (keys[start : start + 500] for start in range(0, len(keys), 500))


def _connect() -> sqlite3.Connection:
    path = index_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    connection = sqlite3.connect(path, timeout=10)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        # A power failure may cost the last entries; their logs are then read again.
        connection.execute("PRAGMA synchronous=NORMAL")
        for table in _TABLES:
            connection.execute(table)
    except BaseException:
        connection.close()
        raise
    return connection


def _delete() -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{index_path()}{suffix}").unlink()


def _digest(key: str, state: str, row: Packed) -> bytes:
    # The length of `own` says where `runs` begins; the two digests after them have a fixed length.
    about = f"{FORMAT}\0{key}\0{state}\0{len(row.own)}\0".encode()
    return hashlib.blake2b(b"".join((about, *row)), digest_size=16).digest()
