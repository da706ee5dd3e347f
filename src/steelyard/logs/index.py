"""An index of logs that were read before, so that a folder of thousands is not read again (design/0026).

One SQLite file in the cache folder: path and view → version of the file, digest, row. An entry counts only if the file
still has the same version and the digest fits; anything else is read again and replaced. An index that cannot be used
is deleted and begun anew; one that cannot be written is done without. Rows are kept as JSON, so that a forged index
cannot run code.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.errors import SteelyardError
from steelyard.location import is_remote
from steelyard.logs.row_json import dump_row, load_row
from steelyard.rows import LogRow
from steelyard.toolchain import cache_folder

FORMAT = 2
"""Goes up whenever rows change: an index of another format is never read."""

RECENT_NS = 2_000_000_000
"""A file younger than this is not entered: it may change again without a change of its time."""

_TABLE = """CREATE TABLE IF NOT EXISTS rows (
    path TEXT NOT NULL, view TEXT NOT NULL, state TEXT NOT NULL, digest BLOB NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (path, view))"""


class Entry(NamedTuple):
    """A row to keep."""

    path: str
    state: str
    row: LogRow


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
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def key_of(path: str) -> str:
    """How the index calls a log."""
    return path if is_remote(path) else os.path.abspath(path)


def known_rows(states: Mapping[str, str], view: str) -> dict[str, LogRow]:
    """Path → row, of the logs that were read before in this version; `states` maps path to version."""
    rows: dict[str, LogRow] = {}
    keys = {key_of(path): path for path, state in states.items() if state}
    for key, state, digest, data in _select(list(keys), view):
        path = keys[key]
        # A forged entry may hold values of any type.
        if state == states[path] and isinstance(data, bytes) and digest == _digest(key, state, data):
            row = _load(data)
            if row is not None:
                rows[path] = row if row.path == path else replace(row, path=path)
    return rows


def remember(entries: Iterable[Entry], view: str) -> None:
    """Keep rows for the next time; a failure is not one of the command."""
    records: list[tuple[str, str, str, bytes, bytes]] = []
    for entry in entries:
        try:
            key, data = key_of(entry.path), dump_row(entry.row)
        except (TypeError, ValueError):  # the log is read again next time
            continue
        records.append((key, view, entry.state, _digest(key, entry.state, data), data))
    if not records:
        return
    with suppress(sqlite3.Error, OSError, SteelyardError), closing(_connect()) as connection, connection:
        connection.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)", records)


def _select(keys: list[str], view: str) -> list[tuple[str, str, bytes, Any]]:
    if not keys:
        return []
    try:
        with closing(_connect()) as connection:
            return [record for part in _parts(keys) for record in _query(connection, part, view)]
    except sqlite3.OperationalError:  # locked, or the folder is read-only: the logs are there
        return []
    except sqlite3.DatabaseError:
        with suppress(OSError):
            index_path().unlink()
        return []
    except (OSError, SteelyardError):
        return []


def _query(connection: sqlite3.Connection, keys: list[str], view: str) -> list[Any]:
    marks = ",".join("?" * len(keys))
    query = f"SELECT path, state, digest, data FROM rows WHERE view = ? AND path IN ({marks})"
    return connection.execute(query, (view, *keys)).fetchall()


def _parts(keys: list[str]) -> Iterable[list[str]]:
    return (keys[start : start + 500] for start in range(0, len(keys), 500))


def _connect() -> sqlite3.Connection:
    path = index_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    connection = sqlite3.connect(path, timeout=10)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_TABLE)
    except BaseException:
        connection.close()
        raise
    return connection


def _digest(key: str, state: str, data: bytes) -> bytes:
    return hashlib.blake2b(f"{FORMAT}\0{key}\0{state}\0".encode() + data, digest_size=16).digest()


def _load(data: bytes) -> LogRow | None:
    try:
        return load_row(data)
    except (ValueError, TypeError, KeyError):
        return None
