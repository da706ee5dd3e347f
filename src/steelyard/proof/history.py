"""The commits of a repository, and its files at any of them. Merges and commits without a parent are left out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from steelyard.errors import InputError
from steelyard.git import SUBMODULE, as_file, commit_of, folder_at, git
from steelyard.tree import File, dropped, leads_inside

_FIELDS = "%H%x00%P%x00%cI%x00%s%x00%b%x00"
"""One commit: hash, parents, date, subject, body; the changed files follow. No message or path holds a NUL."""


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
    # --no-show-signature: what gpg says would stand before the hash.
    words = ["log", "--no-merges", "--no-renames", "--no-show-signature", "--numstat", "-z"]
    words += [f"--max-count={most}", f"--format={_FIELDS}"]
    words += [] if since is None else [_after(repo, since)]
    text = git(repo, *words, top).raw.decode("utf-8", "replace")
    known = list(_read(text))
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
        raise InputError(f"{since!r} is no earlier date that git can read", cure="2026-01-31, or 3.months.ago")
    return option


def is_shallow(repo: Path) -> bool:
    """Whether older commits are missing."""
    return git(repo, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"


def _present(repo: Path, sha: str) -> bool:
    return git(repo, "cat-file", "-e", f"{sha}^{{commit}}", check=False).ok


def _read(text: str) -> Iterator[Commit]:
    # An empty field stands before and after the files of a commit, and a line's end at the first of them.
    fields = deque(text.split("\0"))
    while len(fields) > 5:
        sha, parents, date, subject, body = (fields.popleft() for _ in range(5))
        files: list[Changed] = []
        # Only files have tabs where a hash would stand.
        while fields and ("\t" in fields[0] or not fields[0]):
            if line := fields.popleft().lstrip("\n"):
                files.append(_changed(line))
        if parents and " " not in parents:
            yield Commit(sha, parents, date, subject, body.strip(), tuple(files))


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
    words = ("diff", "--no-color", "--no-ext-diff", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/")
    # Changed lines alone, as many as the header of a hunk counts.
    bare = ("--unified=0", "--inter-hunk-context=0")
    text = git(repo, *words, *bare, commit.parent, commit.sha, "--", *paths).stdout
    found: list[Hunk] = []
    names = ["", ""]
    left = 0
    # Not splitlines: a form feed within a line ends none.
    for line in text.split("\n"):
        if left and line.startswith(("-", "+")):
            left -= 1  # a changed line, which may look like a header
        elif line.startswith(("--- ", "+++ ")):
            names[line.startswith("+")] = line[4:].split("/", 1)[-1].rstrip("\t") if line[4:] != "/dev/null" else ""
        elif line.startswith("@@ "):
            old, new = (word[1:].partition(",") for word in line.split(" ")[1:3])
            found.append(Hunk(names[1] or names[0], *_range(old), *_range(new)))
            left = found[-1].old_count + found[-1].new_count
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
