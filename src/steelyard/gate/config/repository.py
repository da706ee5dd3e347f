"""Which files of a repository are its configuration: one rule for a working tree and for a commit.

The artifacts of the known kinds belong to it, the parts of plugins, and whatever a symbolic link among them leads to.
Links stay links, so that `CLAUDE.md -> AGENTS.md` is the same configuration everywhere; one that leaves the repository
is refused. A working tree counts as git would commit it (`index`). Files that git ignores, which no commit has, and
submodules, whose files no commit has, are left out and named. The folders of tasks, with their fixtures, are not part
of it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import NamedTuple

from steelyard.errors import InputError
from steelyard.gate.config.artifacts import plugin_parts
from steelyard.gate.config.index import Contents, Entries, listed, staged
from steelyard.git import LINK, SUBMODULE, as_file, folder_at
from steelyard.tree import File, dropped, leads_inside, refuse_special, under

Belongs = Callable[[str, bool], bool]
"""Whether a path, which may be a link, is an artifact of a known kind or stands for a folder of them."""

TASK = "task.yaml"
"""The file that makes a folder a task."""

_MAX_LINKS = 40
"""Links followed for one path, as the kernel does."""


class RepositoryFiles(NamedTuple):
    """The configuration of a repository, and what is not part of it."""

    tree: dict[str, File]
    ignored: tuple[str, ...] = ()
    """What no commit would have: artifacts that git ignores, and repositories that are no submodules."""
    submodules: tuple[str, ...] = ()
    """Submodules where artifacts would be, each with its commit."""


def committed(repo: Path, ref: str, path: str, belongs: Belongs) -> RepositoryFiles:
    """The configuration at a path of a commit, byte for byte: the whole folder, unless it is a repository's root."""
    place = folder_at(repo, ref, path)
    entries = {name: (mode, blob) for mode, blob, name in place.entries()}
    if place.path:
        return _chosen_files(entries, set(entries), place.contents)
    links = _links(entries, place.contents)
    chosen = selected({name: links.get(name) for name in entries}, belongs, _submodules(entries))
    return _chosen_files(entries, chosen, place.contents)


def checked_out(folder: Path, belongs: Belongs) -> RepositoryFiles:
    """The configuration at the root of a working tree."""
    # Instructions inside ignored folders, such as installed packages, belong to somebody else.
    ignored = [
        name
        for name in listed(folder, "--others", "--ignored", "--exclude-standard")
        if belongs(name, False) and ("/" not in name or name.startswith("."))
    ]
    with staged(folder) as index:
        ignored += [name for name in index.nested if belongs(name, True)]
        entries = index.entries()
        links = {**_links(entries, index.contents), **index.untracked}
        paths = {name: links.get(name) for name in (*entries, *index.untracked)}
        chosen = selected(paths, belongs, _submodules(entries))
        # Only now is it known which untracked files belong to the configuration.
        index.add(sorted(chosen & index.untracked.keys()))
        return _chosen_files(index.entries(), chosen, index.contents)._replace(ignored=tuple(ignored))


def checked_out_folder(folder: Path, source: str) -> RepositoryFiles | None:
    """All files of a folder in a working tree that a commit would have; None if git knows none of them."""
    # git passes over pipes and sockets without a word.
    refuse_special(folder, source)
    ignored = listed(folder, "--others", "--ignored", "--exclude-standard", "--directory")
    with staged(folder) as index:
        index.add(sorted(index.untracked))
        entries = index.entries()
        if not entries:
            return None
        left_out = tuple(sorted({*index.nested, *(name for name in ignored if not dropped(name.rstrip("/")))}))
        return _chosen_files(entries, set(entries), index.contents)._replace(ignored=left_out)


def _links(entries: Entries, contents: Contents) -> dict[str, str | None]:
    """Where the links among the entries lead."""
    links = {name: blob for name, (mode, blob) in entries.items() if mode == LINK}
    targets = contents(list(links.values()))
    return {name: os.fsdecode(targets[blob]) for name, blob in links.items()}


def _submodules(entries: Entries) -> set[str]:
    return {name for name, (mode, _) in entries.items() if mode == SUBMODULE}


def _chosen_files(entries: Entries, chosen: Set[str], contents: Contents) -> RepositoryFiles:
    files = {name: entries[name] for name in sorted(chosen) if name in entries}
    submodules = tuple(f"{name} at {files.pop(name)[1][:12]}" for name in sorted(_submodules(files)))
    blobs = contents([blob for _, blob in files.values()])
    tree = {name: as_file(mode, blobs[blob], name) for name, (mode, blob) in files.items()}
    return RepositoryFiles(tree, submodules=submodules)


def selected(paths: Mapping[str, str | None], belongs: Belongs, submodules: Set[str] = frozenset()) -> set[str]:
    """The paths of a configuration among all paths of a repository; a value is where a link leads.

    Raises `InputError` for a link that leads outside, or to nothing.
    """
    chosen: set[str] = set()
    tasks = {posixpath.dirname(path) for path in paths if posixpath.basename(path) == TASK}
    parts = plugin_parts(paths)
    # A submodule, like a link, may be where a folder of artifacts would be.
    folders = submodules | {path for path, target in paths.items() if target is not None}
    left = [path for path in paths if path in parts or belongs(path, path in folders)]
    # The instructions in a task's fixture are not those of the repository.
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
