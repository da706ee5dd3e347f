"""Which files of a repository are its configuration: one rule for a working tree and for a commit.

The artifacts of the known kinds belong to it, the parts of plugins, and whatever a symbolic link among them leads to.
Links stay links, so that `CLAUDE.md -> AGENTS.md` is the same configuration everywhere; one that leaves the repository
is refused. Files that git ignores are left out of a working tree, because no commit has them, and are named. The
folders of tasks, with their fixtures, are not part of it.
"""

from __future__ import annotations

import posixpath
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from steelyard.errors import InputError, boundary
from steelyard.gate.config.artifacts import plugin_parts
from steelyard.gate.git import blobs_at, entries_at, git
from steelyard.gate.tree import File, leads_inside, under

Belongs = Callable[[str, bool], bool]
"""Whether a path, which may be a link, is an artifact of a known kind or stands for a folder of them."""

TASK = "task.yaml"
"""The file that makes a folder a task."""

_MAX_LINKS = 40
"""Links followed for one path, as the kernel does."""


def committed(repo: Path, ref: str, belongs: Belongs) -> dict[str, File]:
    """The configuration at the root of a commit, byte for byte."""
    entries = {name: (mode, blob) for mode, blob, name in entries_at(repo, ref, "")}
    contents = blobs_at(repo, [blob for mode, blob in entries.values() if mode == _LINK])
    links = {name: _text(contents[blob]) for name, (mode, blob) in entries.items() if mode == _LINK}
    chosen = selected({name: links.get(name) for name in entries}, belongs)
    contents |= blobs_at(repo, [entries[name][1] for name in chosen if name not in links])
    return {
        name: File(link=links[name]) if name in links else File(contents[blob], mode == "100755")
        for name, (mode, blob) in ((name, entries[name]) for name in sorted(chosen))
        if name in links or blob in contents
    }


def checked_out(folder: Path, belongs: Belongs) -> tuple[dict[str, File], tuple[str, ...]]:
    """The configuration at the root of a working tree, and the artifacts that git ignores."""
    names = _listed(folder, "--cached", "--others", "--exclude-standard")
    # Instructions inside ignored folders, such as installed packages, belong to somebody else.
    ignored = tuple(
        name
        for name in _listed(folder, "--others", "--ignored", "--exclude-standard")
        if belongs(name, False) and ("/" not in name or name.startswith("."))
    )
    with boundary(InputError, f"cannot read {folder}"):
        files = {name: folder / name for name in names if (folder / name).is_symlink() or (folder / name).is_file()}
        links = {name: str(path.readlink()) for name, path in files.items() if path.is_symlink()}
        chosen = selected({name: links.get(name) for name in files}, belongs)
        tree = {name: File(link=links[name]) if name in links else _read(files[name]) for name in sorted(chosen)}
    return tree, ignored


def selected(paths: Mapping[str, str | None], belongs: Belongs) -> set[str]:
    """The paths of a configuration among all paths of a repository; a value is where a link leads.

    Raises `InputError` for a link that leads outside, or to nothing.
    """
    chosen: set[str] = set()
    tasks = {posixpath.dirname(path) for path in paths if posixpath.basename(path) == TASK}
    parts = plugin_parts(paths)
    left = [path for path, target in paths.items() if path in parts or belongs(path, target is not None)]
    left = [path for path in left if not under(path, tasks)]
    while left:
        path = left.pop()
        if path in chosen:
            continue
        chosen.add(path)
        target = paths[path]
        if target is None:
            continue
        if not leads_inside(path, target):
            raise InputError(f"{path} is a symbolic link that leads outside the repository")
        left += _targets(path, paths)
    return chosen


def _targets(path: str, paths: Mapping[str, str | None]) -> list[str]:
    """What a link leads to: the links on the way, and a file or all files of a folder."""
    passed: list[str] = []
    for _ in range(_MAX_LINKS):
        here = _link_on_the_way(path, paths)
        if here is None:
            below = [name for name in paths if name == path or name.startswith(f"{path}/")]
            if not below:
                raise InputError(f"{passed[0]} is a symbolic link to {path}, which the repository does not have")
            return [*passed[1:], *below]
        passed.append(here)
        rest = path.removeprefix(here)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), paths[here] or "", rest.lstrip("/")))
    raise InputError(f"{passed[0]} is a symbolic link that leads to itself")


def _link_on_the_way(path: str, paths: Mapping[str, str | None]) -> str | None:
    parts = path.split("/")
    prefixes = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((prefix for prefix in prefixes if paths.get(prefix) is not None), None)


_LINK = "120000"


def _listed(folder: Path, *options: str) -> list[str]:
    done = git(folder, "ls-files", "-z", *options)
    return sorted({name for name in _text(done.raw).split("\0") if name})


def _read(path: Path) -> File:
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is not a regular file")
    return File(path.read_bytes(), bool(mode & 0o100))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
