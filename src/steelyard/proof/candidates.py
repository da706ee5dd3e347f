"""Which commits may become tasks: they change source and tests, and are small enough. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import PurePosixPath
from typing import Literal

from steelyard.proof.history import Changed, Commit

Stage = Literal["untried", "not run", "not proved", "ours"]
"""How far a commit came: no use to try it, its tests cannot run here, they prove nothing, or our own machinery failed,
which says nothing about the commit."""

Runner = Literal["pytest", "node", "cargo", "go"]
"""What runs the tests: pytest, which also runs those of unittest, `node --test`, `cargo test` or `go test`."""

SOURCE: Mapping[Runner, tuple[str, ...]] = {
    "pytest": (".py",),
    "node": (".js", ".mjs", ".cjs"),
    "cargo": (".rs",),
    "go": (".go",),
}
"""Endings of the files that a runner's language is written in."""
_LANGUAGES: Mapping[Runner, str] = {"pytest": "Python", "node": "JavaScript", "cargo": "Rust", "go": "Go"}
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__"})
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
    runner: Runner = "pytest"


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


def sort_out(
    history: Sequence[Commit], limits: Limits, runners: Sequence[Runner] = ("pytest",)
) -> tuple[list[Candidate], list[Dropped]]:
    """The candidates of a history, newest first, and why the other commits are none."""
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for commit in history:
        tried = [_candidate(commit, limits, runner) for runner in runners]
        if found := next((each for each in tried if isinstance(each, Candidate)), None):
            kept.append(found)
        else:
            *others, last = (_LANGUAGES[runner] for runner in runners)
            languages = f"{', '.join(others)} or {last}" if others else last
            # Empty reasons are those of languages that the commit does not touch.
            reason = next((str(each) for each in tried if each), f"changes no {languages} source")
            dropped.append(Dropped(commit.sha, commit.subject, reason))
    return kept, dropped


def _candidate(commit: Commit, limits: Limits, runner: Runner) -> Candidate | str:
    """Or why a commit is none; an empty text if it changes no source of the runner's language."""
    tests = [file for file in commit.files if is_test(file.path)]
    suites = [file for file in tests if is_suite(file.path, runner)]
    source = [file for file in commit.files if file.path.endswith(SOURCE[runner]) and not is_test(file.path)]
    if not source:
        return ""
    if not suites:
        return "changes no tests" if runner != "cargo" else "changes no tests in files of their own (tests/*.rs)"
    if any(file.binary for file in commit.files):
        return "changes binary files"
    lines = sum(file.lines for file in source)
    if lines > limits.lines or len(source) > limits.files:
        return "is too large"
    return Candidate(commit, _paths(source), _paths(tests), _paths(suites), lines, runner)


def _paths(files: Sequence[Changed]) -> tuple[str, ...]:
    return tuple(sorted(file.path for file in files))


def is_test(path: str) -> bool:
    """Whether a file belongs to the tests."""
    return _in_tests(path) or any(is_suite(path, runner) for runner in SOURCE)


def is_suite(path: str, runner: Runner = "pytest") -> bool:
    """Whether a file may hold tests, by its name or its folder. Tests inside the sources of Rust are not told apart."""
    name, _, ending = PurePosixPath(path).name.rpartition(".")
    if f".{ending}" not in SOURCE[runner]:
        return False
    if runner == "pytest":
        # `tests.py` is the name that Django gives.
        return name.startswith("test_") or name.endswith("_test") or name == "tests"
    if runner == "cargo":
        return PurePosixPath(path).parent.name == "tests"
    if runner == "go":
        return name.endswith("_test")
    return _in_tests(path) or name == "test" or name.startswith("test-") or name.endswith((".test", "-test", "_test"))


def _in_tests(path: str) -> bool:
    return bool(_TEST_FOLDERS & set(PurePosixPath(path).parts[:-1]))


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
