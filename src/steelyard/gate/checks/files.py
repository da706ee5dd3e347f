"""`file_exists`, `file_absent`, `file_contains`, `file_matches`: checks of single files in the tree.

They look at the tree in memory, so no path can lead outside.
"""

from __future__ import annotations

import re
import signal
import sys
from typing import Annotated, Literal, final

from pydantic import AfterValidator, StringConstraints

from steelyard import process
from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside
from steelyard.gate.tree import Tree, resolve, under

MAX_TEXT = 5_000_000
"""Bytes of the largest file that a check reads."""

SEARCH_CPU_S = 10
"""Seconds of processor time for one pattern: how busy the machine is must not decide a check."""
_SEARCH_TIMEOUT_S = 600.0
_SEARCH = """
import re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]), int(sys.argv[2]) + 1))
sys.exit(0 if re.search(sys.argv[1], sys.stdin.buffer.read().decode("utf-8", "replace"), re.M) else 3)
"""


def exists(path: str, tree: Tree) -> bool:
    """Whether `path` is a file or a folder of the tree."""
    return resolve(tree, path) is not None or any(under(other, [path]) for other in tree if other != path)


def content(path: str, tree: Tree) -> bytes | Assessment:
    """The bytes of a file, or why it cannot be checked."""
    file = resolve(tree, path)
    if file is None:
        return Assessment(False, f"{path} does not exist")
    if len(file.data) > MAX_TEXT:
        return Assessment(False, f"{path} is larger than {MAX_TEXT // 1_000_000} MB")
    return file.data


@final
class FileExists(CheckModel):
    kind: Literal["file_exists"]
    path: Inside

    def evaluate(self, work: CheckInput) -> Assessment:
        there = exists(self.path, work.tree)
        return Assessment(there, f"{self.path} {'exists' if there else 'does not exist'}")


@final
class FileAbsent(CheckModel):
    kind: Literal["file_absent"]
    path: Inside

    def evaluate(self, work: CheckInput) -> Assessment:
        there = exists(self.path, work.tree)
        return Assessment(not there, f"{self.path} {'exists' if there else 'is absent'}")


@final
class FileContains(CheckModel):
    kind: Literal["file_contains"]
    path: Inside
    text: Annotated[str, StringConstraints(min_length=1)]

    def evaluate(self, work: CheckInput) -> Assessment:
        data = content(self.path, work.tree)
        if isinstance(data, Assessment):
            return data
        there = self.text in data.decode("utf-8", "replace")
        return Assessment(there, f"{self.path} {'contains' if there else 'does not contain'} {self.text[:80]!r}")


def _expression(pattern: str) -> str:
    try:
        re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern[:80]!r} is not a regular expression: {error}") from error
    return pattern


@final
class FileMatches(CheckModel):
    kind: Literal["file_matches"]
    path: Inside
    pattern: Annotated[str, StringConstraints(min_length=1), AfterValidator(_expression)]
    """Python regular expression, searched in the whole file with `^` and `$` at each line."""

    def evaluate(self, work: CheckInput) -> Assessment:
        data = content(self.path, work.tree)
        if isinstance(data, Assessment):
            return data
        # In a process of its own: a pattern and a hostile file together can keep a regular expression busy forever.
        search = [sys.executable, "-I", "-c", _SEARCH, self.pattern, str(SEARCH_CPU_S)]
        done = process.run(search, timeout_s=_SEARCH_TIMEOUT_S, stdin=data, env={})
        if done.timed_out or done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return Assessment(False, f"matching {self.path} took too long")
        if done.returncode not in (0, 3):
            return Assessment(False, f"the pattern cannot be used: {done.stderr.strip().splitlines()[-1:]}")
        return Assessment(done.ok, f"{self.path} {'matches' if done.ok else 'does not match'} {self.pattern[:80]!r}")
