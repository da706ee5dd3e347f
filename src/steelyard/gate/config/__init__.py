"""Configurations: the artifacts that steer an agent, read from a folder or a git ref.

    claude-code   CLAUDE.md, .claude/{skills,hooks,commands,agents}/…, .claude/settings.json
    cursor        .cursor/rules/*.mdc, .cursorrules
    codex         AGENTS.md, .codex/…
    other         every other file of the folder

Every file of a folder belongs to the configuration, unless the folder is the root of a git repository: then only the
artifacts of the known kinds do.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from steelyard.errors import InputError
from steelyard.gate.git import tree_at
from steelyard.gate.tree import File, file_hash, read_tree, tree_hash

GIT = "git:"

KINDS: tuple[tuple[str, str], ...] = (
    ("instructions", "CLAUDE.md"),
    ("instructions", "AGENTS.md"),
    ("instructions", ".cursorrules"),
    ("skill", ".claude/skills/*"),
    ("hook", ".claude/hooks/*"),
    ("command", ".claude/commands/*"),
    ("agent", ".claude/agents/*"),
    ("settings", ".claude/settings.json"),
    ("rule", ".cursor/rules/*"),
    ("codex", ".codex/*"),
)
"""Kind and its paths; the first match counts."""

OTHER = "other"


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration under test."""

    label: str
    tree: dict[str, File]
    source: str = ""
    """The folder or `git:REF` it was read from."""

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
    return next((kind for kind, pattern in KINDS if fnmatchcase(path, pattern)), OTHER)


def load_config(where: str, *, repo: Path | None = None, label: str | None = None) -> Config:
    """The configuration in a folder, or at `git:REF` or `git:REF:PATH` of `repo` (the current folder's)."""
    if where.startswith(GIT):
        ref, _, path = where.removeprefix(GIT).partition(":")
        tree = tree_at(repo or Path(), ref, path or ".")
        return _config(label or where, known(tree) if path in ("", ".") else tree, where)
    folder = Path(where)
    if not folder.is_dir():
        raise InputError(f"{where} is not a folder of artifacts")
    if (folder / ".git").exists():
        return _config(label or folder.resolve().name, _artifacts(folder), where)
    return _config(label or folder.resolve().name, read_tree(folder, source=where), where)


def _config(label: str, tree: dict[str, File], where: str) -> Config:
    if not tree:
        raise InputError(f"{where} contains no artifacts", cure="for example CLAUDE.md, AGENTS.md or .cursorrules")
    return Config(label, tree, where)


def known(tree: dict[str, File]) -> dict[str, File]:
    """The artifacts of the known kinds."""
    return {path: file for path, file in tree.items() if kind_of(path) != OTHER}


def _artifacts(folder: Path) -> dict[str, File]:
    """The artifacts at the root of a repository, without walking the rest of it."""
    files: dict[str, File] = {}
    for name in sorted({pattern.split("/")[0] for _, pattern in KINDS}):
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            files |= {f"{name}/{inner}": file for inner, file in read_tree(path, source=str(path)).items()}
        elif path.is_file():
            files[name] = File(path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return known(files)
