"""A working tree as git would commit it, so that a clean one equals its commit whatever the settings of the clone are.

Line ends, filters, `core.fileMode`, `core.symlinks` and sparse checkouts make files differ from their commit although
nothing was changed. So the changes go into a private index, with a folder of objects of its own: the user's index and
repository are not touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from steelyard.artifact import scratch_folder
from steelyard.errors import InputError, boundary
from steelyard.git import blobs_at, environment, git

Entries: TypeAlias = Mapping[str, tuple[str, str]]
"""Path → mode and name of the blob."""

Contents: TypeAlias = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Gives the contents of blobs by their names."""


@dataclass(frozen=True, slots=True)
class Index:
    """The files of a folder; paths are relative to it."""

    folder: Path
    env: Mapping[str, str]
    untracked: Mapping[str, str | None]
    """Files that are neither tracked nor ignored; a value is where a link leads."""
    nested: tuple[str, ...]
    """Repositories inside that are no submodules."""

    def entries(self) -> dict[str, tuple[str, str]]:
        """The tracked files as a commit would have them, and those that were added."""
        rows = (line.partition("\t") for line in listed(self.folder, "--stage", env=self.env))
        return {name: (head.split(" ")[0], head.split(" ")[1]) for head, _, name in rows}

    def add(self, names: Sequence[str]) -> None:
        """Add untracked files."""
        words = "\0".join(names).encode("utf-8", "surrogateescape")
        git(self.folder, "update-index", "--add", "-z", "--stdin", stdin=words, env=self.env)

    def contents(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """Blob name → content."""
        return blobs_at(self.folder, names, self.env)


@contextmanager
def staged(folder: Path) -> Generator[Index]:
    """The index of a working tree, below `folder`, with all changes of tracked files."""
    with scratch_folder("steelyard-index-") as work:
        (work / "objects").mkdir()
        # Quoted, because a path may contain the colon by which git separates paths.
        shared = str(_own(folder, "objects")).replace("\\", "\\\\").replace('"', '\\"')
        env = environment(
            GIT_INDEX_FILE=str(work / "index"),
            GIT_OBJECT_DIRECTORY=str(work / "objects"),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=f'"{shared}"',
        )
        with boundary(InputError, f"cannot read {folder}"):
            if (index := _own(folder, "index")).is_file():
                # With its time: git compares the contents of files that are as young as the index.
                shutil.copy2(index, work / "index")
            _forget_marks(folder, env)
            if listed(folder, env=env):  # git 2.53 refuses a path below which nothing is tracked; 2.39 did not
                git(folder, "add", "--update", "--", ".", env=env)
            found = {name: folder / name for name in listed(folder, "--others", "--exclude-standard", env=env)}
            links = {name: os.readlink(path) for name, path in found.items() if path.is_symlink()}
            plain = {name: links.get(name) for name, path in found.items() if path.is_symlink() or path.is_file()}
        yield Index(folder, env, plain, tuple(name.rstrip("/") for name in found if name.endswith("/")))


def _forget_marks(folder: Path, env: Mapping[str, str]) -> None:
    """Let git look at files that are there although they are marked `assume-unchanged` or `skip-worktree`."""
    rows = (line.partition(" ") for line in listed(folder, "-v", env=env))
    # `h` is assume-unchanged, `S` skip-worktree, `s` both. What a sparse checkout leaves out stays marked.
    tags = {name: tag for tag, _, name in rows if tag in "hsS" and os.path.lexists(folder / name)}
    for option, marks in (("--no-assume-unchanged", "hs"), ("--no-skip-worktree", "sS")):
        names = "\0".join(name for name, tag in tags.items() if tag in marks)
        if names:
            words = ("update-index", option, "-z", "--stdin")
            git(folder, *words, stdin=names.encode("utf-8", "surrogateescape"), env=env)


def _own(folder: Path, name: str) -> Path:
    """Where the repository of a folder keeps something; git takes a relative path for one inside the folder."""
    return folder.absolute() / git(folder, "rev-parse", "--git-path", name).stdout.rstrip("\n")


def listed(folder: Path, *options: str, env: Mapping[str, str] | None = None) -> list[str]:
    """What `git ls-files` lists."""
    # File names are bytes and need not be UTF-8.
    names = git(folder, "ls-files", "-z", *options, env=env).raw.decode("utf-8", "surrogateescape")
    return sorted({name for name in names.split("\0") if name})
