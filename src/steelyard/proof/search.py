"""The commits of a repository that may become tasks or bugs; an `InputError` that says why if there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from steelyard.errors import InputError
from steelyard.git import git
from steelyard.proof.candidates import Candidate, Dropped, Limits, Runner, sort_out
from steelyard.proof.history import Commit, commits, is_shallow


def search(
    repo: Path,
    ref: str,
    limits: Limits,
    runners: Sequence[Runner] = ("pytest",),
    *,
    most: int,
    since: str | None = None,
) -> tuple[list[Candidate], list[Dropped]]:
    """The candidates, newest first, and why the other commits are none."""
    must_be_repository(repo)
    history = commits(repo, ref, most=most, since=since)
    kept, dropped = sort_out(history, limits, runners)
    if not kept:
        cure = "git fetch --unshallow" if is_shallow(repo) else "a history with such commits"
        raise InputError(_nothing(history, dropped, since), cure=cure)
    return kept, dropped


def must_be_repository(path: Path) -> None:
    """Refuse what git does not know."""
    if not path.is_dir() or not git(path, "rev-parse", "--git-dir", check=False).ok:
        raise InputError(f"{path} is not a git repository")


def _nothing(history: Sequence[Commit], dropped: Sequence[Dropped], since: str | None) -> str:
    if not history:
        after = "" if since is None else f" after {since}"
        return f"the repository has no commits with a parent to look at{after}"
    reason, _ = Counter(drop.reason for drop in dropped).most_common(1)[0]
    return f"none of {len(history)} commits changes source and tests and is small enough; most often: {reason}"
