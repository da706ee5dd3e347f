"""The commits of a repository, and its files at any of them. Merges and commits without a parent are left out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from steelyard.errors import InputError
from steelyard.git import SUBMODULE, as_file, commit_of, folder_at, git
from steelyard.tree import File, dropped, leads_inside

_FIELDS = "%x1e%H%x1f%P%x1f%cI%x1f%s%x1f%b%x1f"
"""One commit: hash, parents, date, subject, body; the changed files follow."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One file that a commit changed."""

    path: str
    lines: int
    """Added and removed; 0 for a binary file."""
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit with one parent."""

    sha: str
    parent: str
    date: str
    """When it was committed, ISO 8601."""
    subject: str
    body: str
    files: tuple[Changed, ...]

    @property
    def short(self) -> str:
        """Enough of the hash for people."""
        return self.sha[:10]


def commits(repo: Path, ref: str = "HEAD", *, most: int = 1_000, since: str | None = None) -> list[Commit]:
    """The newest commits that lead to `ref`, newest first; a shallow clone ends where its history does."""
    top = commit_of(repo, ref)
    # --no-renames: each entry of --numstat then has a single path.
    words = ["log", "--no-merges", "--no-renames", "--numstat", "-z", f"--max-count={most}", f"--format={_FIELDS}"]
    words += [] if since is None else [_after(repo, since)]
    text = git(repo, *words, top).raw.decode("utf-8", "replace")
    found = [_commit(part) for part in text.split("\x1e")[1:]]
    known = [commit for commit in found if commit is not None]
    # The oldest commits of a shallow clone name parents that are not there.
    return [commit for commit in known if _present(repo, commit.parent)] if is_shallow(repo) else known


def written(repo: Path, history: Sequence[Commit]) -> dict[str, datetime]:
    """When these commits and their parents were written, whenever they came to where they are now."""
    names = sorted({sha for commit in history for sha in (commit.sha, commit.parent)})
    text = git(repo, "log", "--no-walk", "--stdin", "--format=%H %aI", stdin="\n".join(names)).stdout
    return {sha: datetime.fromisoformat(when) for sha, when in (line.split(" ") for line in text.splitlines())}


def _after(repo: Path, since: str) -> str:
    """The option for commits after a date."""
    option = git(repo, "rev-parse", f"--since={since}").stdout.strip()
    # What git cannot read as a date it takes for now.
    if abs(int(option.removeprefix("--max-age=")) - time.time()) <= 2:
        raise InputError(f"git reads no earlier date in {since!r}", cure="2026-01-31, or '3 months ago'")
    return option


def is_shallow(repo: Path) -> bool:
    """Whether older commits are missing."""
    return git(repo, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"


def _present(repo: Path, sha: str) -> bool:
    return git(repo, "cat-file", "-e", f"{sha}^{{commit}}", check=False).ok


def _commit(text: str) -> Commit | None:
    sha, parents, date, subject, body, files = text.split("\x1f", 5)
    if " " in parents or not parents:
        return None
    lines = (line.strip("\n") for line in files.split("\0"))
    return Commit(sha, parents, date, subject, body.strip(), tuple(_changed(line) for line in lines if "\t" in line))


def _changed(line: str) -> Changed:
    added, removed, path = line.split("\t", 2)
    binary = added == "-"
    return Changed(path, 0 if binary else int(added) + int(removed), binary)


class Hunk(NamedTuple):
    """Lines that a commit replaced by others."""

    path: str
    """After the commit; before it, if the file is gone."""
    old: int
    old_count: int
    new: int
    new_count: int


def hunks(repo: Path, commit: Commit, paths: Sequence[str]) -> list[Hunk]:
    """The changed lines of these files."""
    words = ("diff", "--no-color", "--no-ext-diff", "--no-renames", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/")
    text = git(repo, *words, commit.parent, commit.sha, "--", *paths).stdout
    found: list[Hunk] = []
    names = ["", ""]
    for line in text.splitlines():
        if line.startswith(("--- ", "+++ ")):
            names[line.startswith("+")] = line[4:].split("/", 1)[-1].rstrip("\t") if line[4:] != "/dev/null" else ""
        elif line.startswith("@@ "):
            old, new = (word[1:].partition(",") for word in line.split(" ")[1:3])
            found.append(Hunk(names[1] or names[0], *_range(old), *_range(new)))
    return found


def _range(parts: tuple[str, str, str]) -> tuple[int, int]:
    return int(parts[0]), int(parts[2] or 1)


def files_at(repo: Path, sha: str) -> dict[str, File]:
    """The files of a commit, without links that lead outside, compiled code, and submodules, whose files it has not."""
    place = folder_at(repo, sha, "")
    entries = [entry for entry in place.entries() if not dropped(entry[2]) and entry[0] != SUBMODULE]
    blobs = place.contents([blob for _, blob, _ in entries])
    files = {name: as_file(mode, blobs[blob], name, any_link=True) for mode, blob, name in entries}
    return {name: file for name, file in files.items() if file.link is None or leads_inside(name, file.link)}
