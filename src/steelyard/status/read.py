"""Reads the logs of a folder with the time of their last change; in a watch, only those that have changed since."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from steelyard.errors import LogError, boundary
from steelyard.logs.find import search
from steelyard.logs.read import read_log
from steelyard.rows import LogRow, Problem
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
        logs: list[WrittenLog] = []
        problems = list(found.problems)
        for path in found.paths:
            try:
                logs.append(self._log(path))
            except LogError as error:
                problems.append(Problem(path, str(error)))
        planned = tuple(task for place in self._where for task in _planned(str(place)))
        if not logs and not problems and not planned:
            raise LogError(f"no eval logs in {', '.join(map(str, self._where))}")
        return Observation(tuple(logs), planned, tuple(problems))

    def _log(self, path: str) -> WrittenLog:
        version = _version(path)
        known = self._known.get(path)
        row = known[1] if known is not None and known[0] == version else read_log(path)
        self._known[path] = version, row
        return WrittenLog(row, datetime.fromtimestamp(version.modified, UTC))


def _version(path: str) -> _Version:
    with boundary(LogError, f"cannot read {path}"):
        if "://" not in path:
            entry = os.stat(path)
            return _Version(entry.st_size, entry.st_mtime)
        from inspect_ai._util.file import filesystem

        info = filesystem(path).info(path)
        return _Version(info.size, (info.mtime or 0.0) / 1000)  # Inspect counts milliseconds


def _planned(place: str) -> list[PlannedTask]:
    """The tasks of the eval set that a folder was last used for; none if it has none or its file is damaged."""
    path = Path(place, EVAL_SET)
    if "://" in place or not path.is_file():
        return []
    try:
        tasks: list[Any] = json.loads(path.read_text("utf-8"))["tasks"]
        return [PlannedTask(str(task["name"]), str(task["model"])) for task in cast(list[dict[str, Any]], tasks)]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # it may be half written; the logs themselves say the rest
