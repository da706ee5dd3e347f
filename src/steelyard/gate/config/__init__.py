"""Configurations: the artifacts that steer an agent, read from a folder or a git ref.

`artifacts` is the table of what the agents load: instruction files, skills, hooks, commands, agents, settings and MCP
servers, at the root or, for some, in any folder.

Every file of a folder belongs to the configuration, unless the folder is the root of a git repository: then only the
artifacts of the known kinds do, and what links among them lead to (`repository`).
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import InputError
from steelyard.gate.config.artifacts import ARTIFACTS, OTHER, artifact_of, plugin_parts
from steelyard.gate.config.repository import checked_out, committed
from steelyard.gate.git import inside, tree_at
from steelyard.gate.tree import File, file_hash, read_tree, tree_hash

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
    """Artifacts that git ignores, so that no commit has them."""
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
        tree = committed(repo or Path(), ref, _belongs) if at_root else tree_at(repo or Path(), ref, path)
        return _config(Config(label or where, tree, where, "" if at_root else posixpath.normpath(path)))
    folder = Path(where)
    if not folder.is_dir():
        raise InputError(f"{where} is not a folder of artifacts")
    if (folder / ".git").exists():
        tree, ignored = checked_out(folder, _belongs)
        return _config(Config(label or folder.resolve().name, tree, where, left_out=ignored))
    tree = read_tree(folder, source=where)
    return _config(Config(label or folder.resolve().name, tree, where, _folder(folder)))


def _config(config: Config) -> Config:
    if not config.tree:
        cure = "for example CLAUDE.md, AGENTS.md or .cursorrules"
        raise InputError(f"{config.source} contains no artifacts", cure=cure)
    return config


def _folder(folder: Path) -> str:
    """Where a folder is in its repository; outside one, the relative path it was named by."""
    try:
        name = inside(folder, folder) or ""
    except InputError:
        name = "" if folder.is_absolute() else posixpath.normpath(folder.as_posix())
    return "" if name == "." or name.startswith("..") else name


def _belongs(path: str, is_link: bool = False) -> bool:
    """Whether a path is an artifact, or a link where a folder of artifacts would be, such as `.claude`."""
    return kind_of(path) != OTHER or (is_link and any(row.pattern.startswith(f"{path}/") for row in ARTIFACTS))


def artifacts_in(project: Path) -> dict[str, File]:
    """The artifacts of the known kinds in a project, which may have none."""
    if (project / ".git").exists():
        return checked_out(project, _belongs)[0]
    return known(read_tree(project, source=str(project)))


def known(tree: dict[str, File]) -> dict[str, File]:
    """The artifacts of the known kinds."""
    parts = plugin_parts(tree)
    return {path: file for path, file in tree.items() if _belongs(path) or path in parts}
