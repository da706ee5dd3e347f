"""Which commits may become tasks: they change source and tests, and are small enough. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import PurePosixPath
from typing import Literal

from steelyard.proof.history import Changed, Commit

Stage = Literal["untried", "not run", "not proved", "ours"]
"""How far a commit came: no use to try it, its tests cannot run here, they prove nothing, or our own machinery failed,
which says nothing about the commit."""

_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_BINS = 8
"""Parts of the history from which tasks are taken in turn."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a change may be."""

    lines: int = 200
    """Added and removed lines of source."""
    files: int = 8
    """Changed files of source."""


DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A commit that may become a task."""

    commit: Commit
    source: tuple[str, ...]
    tests: tuple[str, ...]
    """Changed files that belong to the tests: the tests themselves, and what they read."""
    suites: tuple[str, ...]
    """Those of them that hold tests."""
    lines: int
    """Of source."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A commit that became none, and why."""

    commit: str
    subject: str
    reason: str
    stage: Stage = "untried"

    @property
    def tried(self) -> bool:
        """Whether its tests were run, or should have been."""
        return self.stage != "untried"


def sort_out(history: Sequence[Commit], limits: Limits) -> tuple[list[Candidate], list[Dropped]]:
    """The candidates of a history, newest first, and why the other commits are none."""
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for commit in history:
        found = _candidate(commit, limits)
        if isinstance(found, Candidate):
            kept.append(found)
        else:
            dropped.append(Dropped(commit.sha, commit.subject, found))
    return kept, dropped


def _candidate(commit: Commit, limits: Limits) -> Candidate | str:
    tests = [file for file in commit.files if is_test(file.path)]
    suites = [file for file in tests if is_suite(file.path)]
    source = [file for file in commit.files if file.path.endswith(".py") and not is_test(file.path)]
    if not source:
        return "changes no Python source"
    if not suites:
        return "changes no tests"
    if any(file.binary for file in commit.files):
        return "changes binary files"
    lines = sum(file.lines for file in source)
    if lines > limits.lines or len(source) > limits.files:
        return "is too large"
    return Candidate(commit, _paths(source), _paths(tests), _paths(suites), lines)


def _paths(files: Sequence[Changed]) -> tuple[str, ...]:
    return tuple(sorted(file.path for file in files))


def is_test(path: str) -> bool:
    """Whether a file belongs to the tests."""
    return bool(_TEST_FOLDERS & set(PurePosixPath(path).parts[:-1])) or is_suite(path)


def is_suite(path: str) -> bool:
    """Whether a file holds tests, by its name."""
    name = PurePosixPath(path).name
    return path.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py") or name == "tests.py")


def spread(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """The candidates in an order that spreads over time and size: from each part of the history in turn, where small
    and large changes alternate."""
    size = -(-len(candidates) // _BINS)
    bins = [_alternating(candidates[start : start + size]) for start in range(0, len(candidates), size or 1)]
    return (found for found in chain.from_iterable(zip_longest(*bins)) if found is not None)


def _alternating(candidates: Sequence[Candidate]) -> list[Candidate]:
    ordered = sorted(candidates, key=lambda candidate: (candidate.lines, candidate.commit.sha))
    half = len(ordered) // 2
    pairs = zip_longest(ordered[:half], reversed(ordered[half:]))
    return [found for pair in pairs for found in pair if found is not None]
