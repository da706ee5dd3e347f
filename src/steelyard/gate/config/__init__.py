"""Configurations: the artifacts that steer an agent, read from a folder or a git ref.

`artifacts` is the table of what the agents load: instruction files, skills, hooks, commands, agents, settings and MCP
servers, at the root or, for some, in any folder.

Every file of a folder belongs to the configuration, unless the folder is the root of a git repository: then only the
artifacts of the known kinds do, and what links among them lead to (`repository`).
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import InputError, SteelyardError, command
from steelyard.gate.config.artifacts import ARTIFACTS, OTHER, artifact_of, plugin_parts
from steelyard.gate.config.repository import RepositoryFiles, checked_out, checked_out_folder, committed
from steelyard.git import inside
from steelyard.location import require_folder
from steelyard.tree import MAX_BYTES, MAX_FILES, File, dropped, file_hash, read_tree, tree_hash

GIT = "git:"
NONE = "none"
"""A baseline without any artifact."""


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration under test."""

    label: str
    tree: dict[str, File]
    source: str = ""
    """The folder or `git:REF` it was read from."""
    folder: str = ""
    """Where it is in its repository, as far as that is known; empty at the root."""
    left_out: tuple[str, ...] = ()
    """What no commit would have, such as artifacts that git ignores."""
    submodules: tuple[str, ...] = ()
    """Submodules in it, each with its commit; their files are not part of it."""
    skill: str | None = None
    """The skill under test; None if any skill of it is."""

    @property
    def sha(self) -> str:
        """The hash that a log records and a promotion checks."""
        return tree_hash(self.tree)

    @property
    def artifacts(self) -> dict[str, str]:
        """Path → hash of the artifact."""
        return {path: file_hash(file)[:16] for path, file in sorted(self.tree.items())}


def kind_of(path: str) -> str:
    """The kind of an artifact."""
    return artifact_of(path).kind


def load_config(where: str, *, repo: Path | None = None, label: str | None = None) -> Config:
    """The configuration in a folder, or at `git:REF` or `git:REF:PATH` of `repo` (the current folder's)."""
    if where.startswith(GIT):
        ref, _, path = where.removeprefix(GIT).partition(":")
        at_root = path in ("", ".")
        found = committed(repo or Path(), ref, path, _belongs)
        return _config(label or where, where, found, "" if at_root else posixpath.normpath(path))
    folder = Path(where)
    require_folder(folder, "a folder of artifacts")
    name = label or folder.resolve().name
    if (folder / ".git").exists():
        _refuse_other_files(folder)
        return _config(name, where, checked_out(folder, _belongs))
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        cure = f"git:REF with {command('--repo', where)}"
        raise InputError(f"{where} is a bare repository, which has no files", cure=cure)
    _refuse_way_out(folder)
    place = _place(folder)
    known_to_git = None if place is None else checked_out_folder(folder, where)
    # A folder of which git knows no file is read as it is.
    found = known_to_git or RepositoryFiles(read_tree(folder, source=where))
    # Outside a repository, the relative path by which it was named.
    named = ("" if folder.is_absolute() else posixpath.normpath(folder.as_posix())) if place is None else place
    return _config(name, where, found, "" if named == "." or named.startswith("..") else named)


def _config(label: str, source: str, found: RepositoryFiles, folder: str = "") -> Config:
    tree = {path: file for path, file in found.tree.items() if not dropped(path)}
    if not tree:
        cure = "for example CLAUDE.md, AGENTS.md or .cursorrules"
        raise InputError(f"{source} contains no artifacts", cure=cure)
    if len(tree) > MAX_FILES or sum(len(file.data) for file in tree.values()) > MAX_BYTES:
        raise InputError(f"{source} is too large")
    return Config(label, tree, source, folder, found.ignored, found.submodules)


def _refuse_way_out(folder: Path) -> None:
    """Raise if a folder of a repository is a link that leads out of it."""
    # Not resolved: what counts is the repository in which the path was written.
    whole = Path(os.path.abspath(folder))
    top = next((each for each in whole.parents if (each / ".git").exists()), None)
    if top is not None and not folder.resolve().is_relative_to(top.resolve()):
        raise InputError(f"{folder} is a symbolic link that leads outside the repository")


def _refuse_other_files(folder: Path) -> None:
    """Raise if the files of a repository are elsewhere (`core.worktree`)."""
    if inside(folder, folder) != ".":
        raise InputError(f"git has the files of {folder} elsewhere", cure="git config core.worktree says where")


def _place(folder: Path) -> str | None:
    """Where a folder is in its repository; None if it is in none."""
    try:
        return inside(folder, folder)
    except SteelyardError:  # no repository, or no git
        return None


def _belongs(path: str, is_link: bool = False) -> bool:
    """Whether a path is an artifact, or a link where a folder of artifacts would be, such as `.claude`."""
    return kind_of(path) != OTHER or (is_link and any(row.pattern.startswith(f"{path}/") for row in ARTIFACTS))


def artifacts_at(repo: Path, ref: str, path: str) -> dict[str, File]:
    """What a configuration at a path of a commit consists of; a repository's root may have nothing of that."""
    found = committed(repo, ref, path, _belongs).tree
    return {name: file for name, file in found.items() if not dropped(name)}


def artifacts_in(project: Path) -> dict[str, File]:
    """The artifacts of the known kinds in a project, which may have none."""
    if (project / ".git").exists():
        return checked_out(project, _belongs).tree
    return known(read_tree(project, source=str(project)))


def known(tree: dict[str, File]) -> dict[str, File]:
    """The artifacts of the known kinds."""
    parts = plugin_parts(tree)
    return {path: file for path, file in tree.items() if _belongs(path) or path in parts}
