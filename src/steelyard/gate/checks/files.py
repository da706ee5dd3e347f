"""`file_exists`, `file_absent`, `file_contains`, `file_matches`: checks of single files in the tree.

They look at the tree in memory, so no path can lead outside.
"""

from __future__ import annotations

from typing import Annotated, Literal, final

from pydantic import StringConstraints

from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside
from steelyard.gate.checks.pattern import Pattern, search
from steelyard.tree import Tree, resolve, under

MAX_TEXT = 5_000_000
"""Bytes of the largest file that a check reads."""


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


@final
class FileMatches(CheckModel):
    kind: Literal["file_matches"]
    path: Inside
    pattern: Pattern
    """Python regular expression, searched in the whole file with `^` and `$` at each line."""

    def evaluate(self, work: CheckInput) -> Assessment:
        data = content(self.path, work.tree)
        if isinstance(data, Assessment):
            return data
        there = search(self.pattern, data, self.path)
        if isinstance(there, Assessment):
            return there
        return Assessment(there, f"{self.path} {'matches' if there else 'does not match'} {self.pattern[:80]!r}")
