"""Finds log files in folders (recursively), globs, single files, and URLs of any of these.

A folder that cannot be opened is reported as a problem; it does not count as a folder without logs.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from steelyard.artifact import opened
from steelyard.errors import LogError, boundary, one_line
from steelyard.location import is_remote, location
from steelyard.logs.remote import Listed, is_glob, list_files, remote_state
from steelyard.rows import Problem

if TYPE_CHECKING:
    from steelyard.location import Location

_FIELDS = frozenset(
    {
        *("version", "status", "eval", "plan", "results", "stats", "error", "samples", "reductions", "location"),
        *("etag", "invalidated", "log_updates", "config_updates", "tags", "metadata"),
    }
)
"""Fields of a log in JSON; a file that begins with another one is something else."""


class Found(NamedTuple):
    """The result of a search."""

    paths: tuple[str, ...]
    """Log files, each once, sorted."""
    problems: tuple[Problem, ...]
    """Folders that could not be opened."""
    states: Mapping[str, str]
    """URL of a remote log → what tells this version of it from another."""


def search(where: Sequence[str | Location]) -> Found:
    """The log files in folders, globs, files and URLs, and the folders that could not be opened."""
    paths: set[str] = set()
    problems: dict[str, Problem] = {}
    states: dict[str, str] = {}
    for place in where:
        for entry in _expand(str(place)):
            if isinstance(entry, Problem):
                problems[entry.path] = entry
            elif isinstance(entry, Listed):
                states[entry.url] = entry.state
            else:
                paths.add(entry)
    return Found(tuple(sorted(paths | states.keys())), tuple(problems[path] for path in sorted(problems)), states)


def find_logs(where: Sequence[str | Location]) -> list[str]:
    """The log files in `where`; a folder that cannot be opened raises a `LogError`."""
    found = search(where)
    if found.problems:
        raise LogError(f"{found.problems[0].path}: {found.problems[0].reason}")
    return list(found.paths)


def _expand(place: str) -> Iterator[str | Listed | Problem]:
    if not place:
        raise LogError("the path to the logs is empty")
    if is_remote(place):
        yield from _remote(str(location(place)))
        return
    local = location(place)
    place = str(local)
    if local.is_dir():
        yield from _walk(place)
    elif local.is_file():
        yield place
    elif local.exists():
        raise LogError(f"{place} is neither a file nor a folder", cure="copy the log into a file")
    # After files and folders: the name of one may contain the marks of a pattern.
    elif matches := glob.glob(place, recursive=True):
        yield from (path for match in matches for path in _expand(match))
    else:
        raise LogError(f"{place} does not exist")


def _walk(folder: str) -> Iterator[str | Problem]:
    closed: list[OSError] = []
    # Without `onerror`, os.walk passes over a folder that it cannot open.
    for root, _, names in os.walk(folder, onerror=closed.append):
        # Named as elsewhere: a log found in two ways must have one path to count once.
        start = "" if root == "." else os.path.join(root, "").removeprefix("./")
        yield from filter(_is_log, [start + name for name in names])
    for error in closed:
        yield Problem(str(error.filename), one_line(f"cannot open this folder: {error.strerror}"))


def _is_log(path: str) -> bool:
    # Not `Path`, which takes longer to make than the file to be looked at.
    if path.endswith(".eval") and not path.endswith("/.eval"):
        return os.path.isfile(path) or _dangles(Path(path))
    return path.endswith(".json") and _looks_like_log(Path(path))


def _remote(place: str) -> Iterator[Listed]:
    cure = "check the name of the bucket, the endpoint and your credentials"
    with boundary(LogError, f"cannot list {place}", cure=cure):
        if place.endswith((".eval", ".json")) and not is_glob(place):
            yield Listed(place, remote_state(place))
        else:
            yield from (entry for entry in list_files(place) if _is_named_like_log(PurePosixPath(entry.url)))


def _dangles(path: Path) -> bool:
    """Whether a link points to a missing log, which is reported as broken. Pipes and devices are skipped."""
    return path.is_symlink() and not path.exists()


def _looks_like_log(path: Path) -> bool:
    """Whether the name is `<time>_<task>_<id>.json`, as Inspect names its logs, or the content is that of a log."""
    return (_is_named_like_log(path) and (path.is_file() or _dangles(path))) or _holds_log(path)


def _is_named_like_log(path: PurePosixPath | Path) -> bool:
    return path.suffix == ".eval" or (path.suffix == ".json" and path.name[:4].isdigit() and path.name.count("_") >= 2)


def _holds_log(path: Path) -> bool:
    """Whether a JSON file is an object with the fields of a log; it is read only as far as its field `eval`."""
    import ijson

    if not path.is_file():
        return False
    depth, name = 0, ""
    try:
        with opened(path) as file:
            # Basic, because the place of a value in deep nesting takes quadratic memory; as floats, because numbers of
            # thousands of digits end the process.
            for event, value in ijson.basic_parse(file, use_float=True):
                if depth == 1 and event == "map_key":
                    name = value
                    if name not in _FIELDS:
                        return False
                elif depth == 1 and name == "eval":
                    return event == "start_map"
                elif depth == 0 and event != "start_map":
                    return False
                depth += event.startswith("start_") - event.startswith("end_")
    except (OSError, ijson.JSONError):
        return False
    return False
