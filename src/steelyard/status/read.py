"""Reads the logs of a folder with the time of their last change; in a watch, only those that have changed since."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from steelyard import artifact
from steelyard.errors import LogError, SteelyardError, boundary
from steelyard.location import location
from steelyard.logs.find import Found, search
from steelyard.logs.read import read_found
from steelyard.logs.shards import without_shards
from steelyard.rows import LogRow, Logs, Problem
from steelyard.status.model import Observation, PlannedTask, WrittenLog

EVAL_SET = "eval-set.json"
"""File in which Inspect keeps the tasks of a folder's eval set."""


class _Version(NamedTuple):
    size: int
    modified: float


class LogReader:
    """Reads folders of logs again and again. Mutable: it remembers the logs that have not changed."""

    def __init__(self, where: Sequence[str | Path]) -> None:
        self._where = where
        self._known: dict[str, tuple[_Version, LogRow]] = {}

    def read(self) -> Observation:
        """What the folders show now; raises `LogError` if they hold nothing at all."""
        found = search(self._where)
        versions: dict[str, _Version] = {}
        problems: list[Problem] = []
        # Versions are taken before the logs are read, so that a change in between is seen at the next look.
        for path in found.paths:
            try:
                versions[path] = _version(path)
            except LogError as error:
                problems.append(Problem(path, str(error)))
        rows, unread = self._rows(found, versions)
        problems += unread
        logs = [WrittenLog(row, _moment(versions[row.path])) for row in rows]
        planned = tuple(task for place in self._where for task in _planned(str(place)))
        if not logs and not problems and not planned:
            raise LogError(f"no eval logs in {', '.join(map(str, self._where))}")
        return Observation(tuple(logs), planned, tuple(problems))

    def _rows(self, found: Found, versions: Mapping[str, _Version]) -> Logs:
        """The logs, each read only if it has changed; a shard beside its merged log is left out."""
        # Size and time: two writes may fall into one tick of a coarse clock.
        known = {path: row for path, (version, row) in self._known.items() if versions.get(path) == version}
        changed = tuple(path for path in versions if path not in known)
        fresh = read_found(found._replace(paths=changed))
        known |= {row.path: row for row in fresh.rows}
        self._known = {path: (versions[path], row) for path, row in known.items()}
        return without_shards(Logs(tuple(known[path] for path in sorted(known)), fresh.problems))


def _version(path: str) -> _Version:
    with boundary(LogError, f"cannot read {path}"):
        if "://" not in path:
            entry = os.stat(path)
            return _Version(entry.st_size, entry.st_mtime)
        from inspect_ai._util.file import filesystem

        info = filesystem(path).info(path)
        return _Version(info.size, (info.mtime or 0.0) / 1000)  # Inspect counts milliseconds


def _moment(version: _Version) -> datetime:
    return datetime.fromtimestamp(version.modified, UTC)


def _planned(place: str) -> list[PlannedTask]:
    """The tasks of the eval set that a folder was last used for; none if it has none or its file is damaged."""
    try:
        tasks: list[Any] = artifact.read_json(location(place) / EVAL_SET)["tasks"]
        written = _moment(_version(str(location(place) / EVAL_SET)))
        return [
            PlannedTask(str(task["name"]), str(task["model"]), written) for task in cast(list[dict[str, Any]], tasks)
        ]
    except (SteelyardError, KeyError, TypeError):
        return []  # it may be half written; the logs themselves say the rest
