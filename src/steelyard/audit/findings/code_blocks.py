"""Which lines of a report are code.

Agents put a fenced suggestion around text that has fenced code of its own. CommonMark ends the outer block at the first
bare fence, and from there on text is read as code and code as text. So a report is read in two ways: flat, as
CommonMark does, and nested, where a fence with a tag opens a block inside the open one and a bare fence closes the
innermost, unless that would put a numbered heading into code. The reading that hides fewer numbered headings is taken,
the flat one if they hide as many.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from steelyard.audit.findings.numbering import number_of
from steelyard.markdown import Block, Fence, blocks, fences, heading

_INDENT = 8
"""Columns before a fence that still opens a block: those of a list inside a list."""
_LONGEST_TITLE = 200


def code_blocks(lines: Sequence[str]) -> list[Block]:
    """The fenced blocks that close, in order."""
    flat = [block for block in blocks(lines, _INDENT) if block.end is not None]
    numbered = [index for index, line in enumerate(lines) if _is_numbered(line)] if flat else []
    if not _hidden(numbered, flat):
        return flat
    nested = list(_nested(lines, numbered))
    return nested if _hidden(numbered, nested) < _hidden(numbered, flat) else flat


def _nested(lines: Sequence[str], numbered: Sequence[int]) -> Iterator[Block]:
    """The outermost blocks of the nested reading; `numbered` are the lines with numbered headings."""
    marked = [fence for fence in fences(lines) if fence.indented()]
    inner, outer = _flat_ends(marked), _nested_ends(marked)
    until = -1
    for fence in marked:
        end = inner.get(fence.line)
        if fence.line <= until or end is None or not fence.indented(_INDENT):
            continue
        far = outer.get(fence.line, end)
        until = far if _between(numbered, end, far) == 0 else end
        yield Block(fence, until)


def _flat_ends(marked: Sequence[Fence]) -> dict[int, int]:
    """For each fence, the line of the next bare one of the same marks."""
    ends: dict[int, int] = {}
    following: dict[str, int] = {}
    for fence in reversed(marked):
        if fence.marks in following:
            ends[fence.line] = following[fence.marks]
        if fence.bare:
            following[fence.marks] = fence.line
    return ends


def _nested_ends(marked: Sequence[Fence]) -> dict[int, int]:
    """For each fence, the line of the one that closes it if blocks nest.

    With a tag counted +1 and a bare fence −1, that is the next fence of the same marks where the sum has fallen by one.
    """
    ends: dict[int, int] = {}
    sums: dict[str, int] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    for fence in marked:
        total = sums[fence.marks] = sums.get(fence.marks, 0) + (-1 if fence.bare else 1)
        stack = waiting.setdefault(fence.marks, [])
        while stack and stack[-1][1] > total:
            ends[stack.pop()[0]] = fence.line
        stack.append((fence.line, total))
    return ends


def _is_numbered(line: str) -> bool:
    found = heading(line)
    return found is not None and number_of(found[1][:_LONGEST_TITLE]) is not None


def _hidden(numbered: Sequence[int], found: Sequence[Block]) -> int:
    """How many of the numbered headings are inside blocks."""
    return sum(_between(numbered, block.opening.line, block.end or 0) for block in found)


def _between(numbered: Sequence[int], start: int, end: int) -> int:
    return bisect_left(numbered, end) - bisect_left(numbered, start)
