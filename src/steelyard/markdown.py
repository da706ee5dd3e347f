"""Code fences, headings and the rules of tables in Markdown as models write it, line by line.

A fence is three or more backticks or tildes, indented, quoted, behind a list mark or not. It is closed by a line of
the same marks, at least as many, with nothing after them. A fence that is never closed is reported as such: each caller
decides whether it holds the rest of the text or is ordinary text, so that broken Markdown hides nothing.

This is not CommonMark on purpose (design/0021-fences-are-scanned.md). Every text takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

# Possessive throughout: characters that can be matched in two ways take quadratic time on a long line.
_FENCE = re.compile(r"^([ \t]*+(?:>[ \t]*+)*+(?:(?:[-*+]|\d++[.)])[ \t]++)?+)(`{3,}+|~{3,}+)([^`\n]*+)$")
FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
"""The settings at the beginning of a file, between two lines of dashes."""
TAB = 4
"""Columns of a tab."""
_TAG = re.compile(r"[{.\s]*([\w+#-]*)")


class Fence(NamedTuple):
    """A line with a fence."""

    line: int
    """Its index; 0 is the first."""
    prefix: str
    """What precedes the marks: indentation, quotes, a list mark."""
    marks: str
    """The backticks or tildes."""
    info: str
    """What follows the marks."""

    @property
    def tag(self) -> str:
        """The first word of `info` in lower case; empty without one."""
        match = _TAG.match(self.info)
        return match[1].lower() if match else ""

    @property
    def bare(self) -> bool:
        """Whether nothing follows the marks, so that it can close a block."""
        return not self.info.strip()

    def closes(self, opening: Fence) -> bool:
        """Whether it can close the block that `opening` begins."""
        return self.bare and self.marks.startswith(opening.marks)

    def indented(self, most: int | None = None) -> bool:
        """Whether it has nothing but white space before it, `most` columns at most."""
        return not self.prefix.strip() and (most is None or len(self.prefix.expandtabs(TAB)) <= most)


class Block(NamedTuple):
    """A fenced block."""

    opening: Fence
    end: int | None
    """The index of the line that closes it; None when nothing does."""

    def text(self, lines: Sequence[str]) -> str:
        """What it holds; without a closing line, the rest of the text."""
        return "\n".join(lines[self.opening.line + 1 : self.end])


def heading(line: str) -> tuple[int, str] | None:
    """Level and title of a heading, as models write it: the space after the hashes may be missing."""
    text = line.lstrip()
    level = len(text) - len(text.lstrip("#"))
    # From four columns on, an indented line is code.
    if not 1 <= level <= 6 or len(line) - len(text) > 3:
        return None
    title = text[level:].strip()
    # Closing hashes follow a space: `C#` is a name.
    opened = title.rstrip("#")
    return level, opened.strip() if opened[-1:] in ("", " ", "\t") else title


def is_table_rule(line: str) -> bool:
    """Whether a line is the `|---|:-:|` below the head of a table."""
    cells = line.strip().strip("|").split("|")
    return "|" in line and all(set(cell.strip().strip(":")) == {"-"} for cell in cells)


def fence_at(lines: Sequence[str], index: int) -> Fence | None:
    """The fence on a line, if it has one."""
    match = _FENCE.match(lines[index])
    return Fence(index, match[1], match[2], match[3]) if match else None


def fences(lines: Sequence[str]) -> Iterator[Fence]:
    """Every line with a fence."""
    for index in range(len(lines)):
        fence = fence_at(lines, index)
        if fence is not None:
            yield fence


def blocks(lines: Sequence[str], indent: int | None = None) -> Iterator[Block]:
    """The blocks outside quotations and list marks, whose opening is indented by `indent` columns at most."""
    opening: Fence | None = None
    for fence in fences(lines):
        if opening is None:
            opening = fence if fence.indented(indent) else None
        elif fence.indented() and fence.closes(opening):
            yield Block(opening, fence.line)
            opening = None
    if opening is not None:
        yield Block(opening, None)


def block_at(lines: Sequence[str], index: int) -> Block | None:
    """The block that begins on a line, if one does."""
    opening = fence_at(lines, index)
    if opening is None or not opening.indented():
        return None
    later = (fence_at(lines, number) for number in range(index + 1, len(lines)))
    return Block(
        opening, next((fence.line for fence in later if fence and fence.indented() and fence.closes(opening)), None)
    )


def unfenced(text: str, tags: Collection[str]) -> str:
    """`text` without one fence around the whole of it, if that has one of the `tags`; a second fence stays."""
    if not (text.startswith("```") and text.endswith("```") and len(text) > 6):
        return text
    info, _, rest = text[3:-3].partition("\n")
    return rest.strip() if info.strip().lower() in tags else text


def without_fences(text: str) -> str:
    """`text` without its fenced blocks."""
    lines = text.splitlines()
    fenced = {
        number
        for block in blocks(lines)
        for number in range(block.opening.line, len(lines) if block.end is None else block.end + 1)
    }
    return "\n".join(line for number, line in enumerate(lines) if number not in fenced)
