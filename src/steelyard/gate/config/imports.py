"""What instructions bring in from other files: `@docs/style.md` in CLAUDE.md or GEMINI.md, and symbolic links. Pure.

An import is a word of its own outside code, relative to the file it is in.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from steelyard.gate.config.artifacts import artifacts_of
from steelyard.tree import File, Tree

IMPORTING = frozenset({"claude-code", "gemini-cli"})
"""The agents that follow imports; all of them follow links."""
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.S | re.M)
_IMPORT = re.compile(r"(?<!\S)@([\w./-]+\.(?:md|mdc|txt))\b")


class Import(NamedTuple):
    """One file that another one brings in."""

    path: str
    line: int
    target: str


def imports(tree: Tree, agent: str | None) -> list[Import]:
    """The imports that an agent follows, or any of them if none is named, from the instructions that it loads."""
    rows = {path: row for path, row in artifacts_of(tree).items() if row.kind == "instructions"}
    left = [path for path, row in rows.items() if (agent in row.readers if agent else row.readers)]
    found: list[Import] = []
    seen: set[str] = set()
    while left:
        path = left.pop()
        # Imports and links may go in circles.
        if path in tree and path not in seen:
            seen.add(path)
            new = list(_of(path, tree[path], follows=agent is None or agent in IMPORTING))
            found += new
            left += [one.target for one in new]
    return found


def _of(path: str, file: File, *, follows: bool) -> Iterator[Import]:
    folder = posixpath.dirname(path)
    if file.link is not None:
        yield Import(path, 1, posixpath.normpath(posixpath.join(folder, file.link)))
    elif follows:
        # Code becomes empty lines, so that the line numbers after it stay right.
        text = _CODE.sub(lambda code: "\n" * code[0].count("\n"), file.data.decode("utf-8", "replace"))
        for number, line in enumerate(text.splitlines(), 1):
            for match in _IMPORT.finditer(line):
                yield Import(path, number, posixpath.normpath(posixpath.join(folder, match[1])))
