"""Results of other harnesses as they write them: one file of a tool, or a folder of such files (docs/scoring.md §3.4).

A reader takes the content of a file and gives its runs, or None for a file of another tool. Runs with one task name are
epochs of it, in one file or over the files of a folder. A test that was skipped is no run. Every test, assertion or
grader is a check; a run that the tool itself broke is a gap, and there is no verdict with a gap.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from steelyard.artifact import read_head, read_text
from steelyard.errors import InputError
from steelyard.gate.model import Arm, Gap, Run
from steelyard.gate.read.harness import deepeval, junit, promptfoo, pytest_json, trials, vally
from steelyard.gate.read.results_file import json_in, results_arm
from steelyard.logs.identity import sha256_of

if TYPE_CHECKING:
    from steelyard.location import Location

_HEAD = 16_384
"""Bytes that are looked at to recognize a file."""
_MOST = 20_000
"""Files that are read of one folder."""
_ENDINGS = (".json", ".jsonl", ".xml")


class _Format(NamedTuple):
    """How the files of one tool are recognized and read."""

    marks: tuple[bytes, ...]
    """All of them are near the beginning of such a file."""
    read: Any
    """Content → runs and gaps; None for a file of another kind. XML is given as text."""


_FORMATS = (
    _Format((b'"evalId"', b'"results"'), promptfoo.runs),
    _Format((b'"exitcode"', b'"summary"'), pytest_json.runs),
    _Format((b'"testCases"',), deepeval.runs),
    _Format((b'"trial-result"',), vally.runs),
    _Format((b'"trial_name"', b'"task_id"', b'"is_resolved"'), trials.terminal_bench),
    _Format((b'"trial_name"', b'"task_name"'), trials.harbor),
    _Format((b"<testsuite",), junit.runs),
)


def recognizes(path: Location) -> bool:
    """Whether `path` is a file of one of these tools, or a folder with one."""
    return bool(_files(path))


def read(path: Location) -> Arm:
    """The arm in a file, or in all files of a folder."""
    files = _files(path)
    found = [each for file in files for each in _read(file)]
    if not found:
        raise InputError(f"{path}: no test ran", cure="a test that was skipped is no run")
    origin = sha256_of([dataclasses.asdict(each) for each in found if isinstance(each, Run)])
    return results_arm(Path(str(path)).stem, found, tuple(map(str, files)), {origin: str(path)})


def _files(path: Location) -> list[Location]:
    """The files of these tools at `path`; none in a folder that holds Inspect logs, whatever else lies there."""
    if path.is_file():
        return [path] if _format(path) is not None else []
    if not isinstance(path, Path) or not path.is_dir():
        return []
    inside = sorted(itertools.islice(path.rglob("*"), _MOST + 1))
    if any(file.suffix == ".eval" for file in inside):
        return []
    found: list[Location] = [file for file in inside if not file.is_symlink() and file.is_file() and _format(file)]
    # A large folder without any such file simply holds something else.
    if found and len(inside) > _MOST:
        raise InputError(f"{path} holds more than {_MOST} files", cure="name the folder of the results")
    # A run of Terminal-Bench sums its trials up in a file above theirs: each trial counts once.
    named = [file for file in found if file.name == "results.json"]
    whole = {file.parent for file in named if (kind := _format(file)) and kind.read is trials.terminal_bench}
    return [file for file in found if not whole.intersection(file.parent.parents)]


def _format(path: Location) -> _Format | None:
    if path.suffix not in _ENDINGS:
        return None
    head = read_head(path, _HEAD)
    return next((known for known in _FORMATS if all(mark in head for mark in known.marks)), None)


def _read(path: Location) -> Sequence[Run | Gap]:
    known = _format(path)
    assert known is not None
    text = read_text(path)
    if path.suffix == ".xml":
        return junit.runs(text, str(path))
    if path.suffix == ".jsonl":
        # Not `splitlines`: strings in JSON may contain Unicode line separators.
        lines = (line for line in text.split("\n") if line.strip())
        return known.read([json_in(line, str(path)) for line in lines], str(path))
    return known.read(json_in(text, str(path)), str(path))
