"""Which files are logs: folders (searched recursively), globs, single files, and remote paths that Inspect can list.

A folder that cannot be opened is a problem with a name, not a folder without logs.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from steelyard.errors import LogError, boundary, one_line


class Problem(NamedTuple):
    """A log or a folder that could not be read, and why."""

    path: str
    reason: str


class Found(NamedTuple):
    """What a search came upon."""

    paths: tuple[str, ...]
    """Log files, each once, sorted."""
    problems: tuple[Problem, ...]
    """Folders that could not be opened."""


def search(where: Sequence[str | Path]) -> Found:
    """The log files behind folders, globs, files and remote paths, and the folders that kept theirs to themselves."""
    paths: set[str] = set()
    problems: dict[str, Problem] = {}
    for each in where:
        for found in _expand(str(each)):
            if isinstance(found, Problem):
                problems[found.path] = found
            else:
                paths.add(found)
    return Found(tuple(sorted(paths)), tuple(problems[path] for path in sorted(problems)))


def find_logs(where: Sequence[str | Path]) -> list[str]:
    """The log files behind `where`, for whoever must not miss one: a folder that cannot be opened is a `LogError`."""
    found = search(where)
    if found.problems:
        raise LogError(f"{found.problems[0].path}: {found.problems[0].reason}")
    return list(found.paths)


def _expand(each: str) -> Iterator[str | Problem]:
    local = Path(each)
    if not each:
        raise LogError("an empty name is no place to look for logs")
    if "://" in each:
        yield from _remote(each)
    elif local.is_dir():
        yield from _walk(each)
    elif local.exists():
        yield each
    elif matches := glob.glob(each, recursive=True):
        yield from (path for match in matches for path in _expand(match))
    else:
        raise LogError(f"{each} does not exist")


def _walk(folder: str) -> Iterator[str | Problem]:
    closed: list[OSError] = []
    for root, _, names in os.walk(folder, onerror=closed.append):
        yield from (str(path) for name in names if _is_log(path := Path(root, name)))
    for error in closed:
        yield Problem(str(error.filename), one_line(f"this folder cannot be opened: {error.strerror}"))


def _is_log(path: Path) -> bool:
    if path.suffix == ".eval":
        return path.is_file() or _dangles(path)
    return path.suffix == ".json" and _looks_like_log(path)


def _remote(each: str) -> Iterator[str]:
    from inspect_ai.log import list_eval_logs

    with boundary(LogError, f"cannot list {each}"):
        if each.endswith((".eval", ".json")):
            yield each
        else:
            yield from (info.name for info in list_eval_logs(each))


def _dangles(path: Path) -> bool:
    """A link to a log that is gone: named among the broken ones. Pipes and devices are left alone; they could block."""
    return path.is_symlink() and not path.exists()


def _looks_like_log(path: Path) -> bool:
    """Inspect names its logs `<time>_<task>_<id>.json`; other JSON files in a folder are none of our business."""
    return path.name[:4].isdigit() and path.name.count("_") >= 2
