"""The verdict cache: one SQLite file in WAL mode, shared by several processes.

A key identifies judge, rubric, prompt, parser version, task, cleaned text and repeat index; the first verdict
stored under it stays. The cache may save money but never break a run: a damaged file is moved aside with a warning, a
read-only file is only read, a locked file is skipped, and an unreadable entry is a miss.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from steelyard.errors import JudgeError, SteelyardError, boundary

T = TypeVar("T")

FILE = "verdicts.sqlite3"
_LOCK_WAIT_S = 30.0
"""Seconds to wait for another writer: asking the judge again costs more than waiting."""
_SETUP = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "CREATE TABLE IF NOT EXISTS verdicts_1 (key TEXT PRIMARY KEY, verdict TEXT NOT NULL, stored REAL NOT NULL)",
)
_NOTES = logging.getLogger("steelyard.judge")


def key(*parts: str) -> str:
    """The key for an ordered list of texts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        # The length keeps ("ab", "c") and ("a", "bc") apart.
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


class Cache:
    """Verdicts as JSON by key."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._noted = False
        self._open: dict[tuple[int, int], sqlite3.Connection] = {}
        """One connection per process and thread: SQLite handles survive neither a fork nor a change of thread."""

    def get(self, key: str, decode: Callable[[Any], T] = lambda verdict: verdict) -> T | None:
        """What is stored under `key`, or None; an entry that cannot be decoded is deleted."""
        row = self._do(lambda db: db.execute("SELECT verdict FROM verdicts_1 WHERE key = ?", (key,)).fetchone())
        if row is None:
            return None
        try:
            with boundary(JudgeError, "a cached verdict is damaged"):
                return decode(json.loads(row[0]))
        except SteelyardError:
            self.drop(key)
            return None

    def put(self, key: str, verdict: Any) -> None:
        """Store `verdict` under `key` unless the key exists already."""
        record = (key, json.dumps(verdict), time.time())
        self._do(lambda db: db.execute("INSERT OR IGNORE INTO verdicts_1 VALUES (?, ?, ?)", record))

    def drop(self, key: str) -> None:
        """Delete an entry."""
        self._do(lambda db: db.execute("DELETE FROM verdicts_1 WHERE key = ?", (key,)))

    def close(self) -> None:
        """Close this thread's connection."""
        with suppress(KeyError):
            self._open.pop((os.getpid(), threading.get_ident())).close()

    def _do(self, act: Callable[[sqlite3.Connection], T]) -> T | None:
        # A second time in a new file, if the old one was damaged and has been moved aside.
        for _ in range(2):
            try:
                return act(self._connection())
            except (sqlite3.OperationalError, OSError) as error:  # locked, read-only, full: continue without a cache
                return self._note("is not usable: %s", error)
            except sqlite3.DatabaseError as error:
                self._move_aside(error)
        return None

    def _connection(self) -> sqlite3.Connection:
        owner = (os.getpid(), threading.get_ident())
        if owner not in self._open:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._open[owner] = _connected(self.path, *_SETUP)
            except (sqlite3.OperationalError, OSError) as error:
                if "locked" in str(error):  # for a moment only: the next call may write again
                    raise
                self._open[owner] = self._readable(error)
        return self._open[owner]

    def _readable(self, error: Exception) -> sqlite3.Connection:
        """The stored verdicts of a file that cannot be written, as on a read-only mount; raises `error` without any."""
        # `immutable`: without a place for its shared memory, SQLite reads a WAL file in no other way.
        for how in ("mode=ro", "mode=ro&immutable=1"):
            with suppress(sqlite3.OperationalError):
                place = f"{self.path.absolute().as_uri()}?{how}"
                connection = _connected(place, "SELECT 1 FROM verdicts_1 LIMIT 1")
                self._note("cannot be written (%s); it is only read", error)
                return connection
        raise error

    def _note(self, message: str, error: Exception) -> None:
        """Say once that the cache is of less use than it should be."""
        if not self._noted:
            _NOTES.warning(f"the verdict cache %s {message}", self.path, error)
        self._noted = True

    def _move_aside(self, error: sqlite3.DatabaseError) -> None:
        self.close()
        aside = f"{FILE}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
        _NOTES.warning("the verdict cache %s is damaged (%s); moved to %s, starting empty", self.path, error, aside)
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):  # another process was faster, or the file does not exist
                self.path.with_name(FILE + suffix).replace(self.path.with_name(aside + suffix))


def _connected(place: str | Path, *commands: str) -> sqlite3.Connection:
    """A connection to a file or URI, after these commands."""
    # isolation_level None: every statement is its own transaction, so no writer ever holds a lock for long.
    connection = sqlite3.connect(place, uri=isinstance(place, str), timeout=_LOCK_WAIT_S, isolation_level=None)
    try:
        for command in commands:
            connection.execute(command)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
