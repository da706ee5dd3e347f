"""Extracts the Python code of an answer (docs/scoring.md §1.5). Pure; never raises: any text gives code or None.

Fenced blocks tagged `python`, `py` or `python3` in any case, else untagged ones. One block is taken as is.
Several: the last one whose syntax tree calls `App(...)`, if it is self-contained (it parses and binds every name it
uses); else all of them joined in order, if that parses; else the largest. No fence: the raw text, if it parses as
Python. A block that imports `app` is not self-contained; next to one that calls `App(...)` it is a test and left out.
Reasoning (`<think>…</think>` before the answer) is not part of the answer. Fences are three or more backticks or
tildes, optionally indented, quoted or after a list marker; a fence inside a string of the code does not end a block
that would then not parse. No text, however hostile, takes more than a few seconds per megabyte.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from steelyard.markdown import TAB, Fence, fences
from steelyard.text import line_ends, without_thought

PYTHON_TAGS = frozenset({"python", "py", "python3"})
_CONTAINER_TAGS = frozenset({"markdown", "md", "text", "txt"})
"""Fences that wrap a whole answer; their content is read as if they were not there."""
_PLAIN_TAGS = frozenset({"text", "txt"})
"""Containers that usually hold plain text, such as a list of files; skipped unless there is a fence inside."""
_ENDS_TRIED = 12
"""How many closing fences are tried for one block before falling back to the first."""
_PARSED_AT_LEAST, _PARSED_PER_CHARACTER, _PARSE_COST = 200_000, 4, 1_000
"""Budget, in characters, for parsing to find the ends of blocks: a minimum, an allowance per character of the answer,
and a fixed cost per parse. No honest answer comes near it; once it is used up, each block ends at its first fence."""
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__spec__", "__annotations__"}


class CodeBlock(NamedTuple):
    """One fenced block."""

    tag: str
    """Lower case; empty when untagged."""
    code: str


def extract(answer: str) -> str | None:
    """The code of an answer, or None when there is nothing to run."""
    text = without_thought(line_ends(answer.removeprefix("\ufeff")))
    blocks = [block for block in _Reader(text).blocks() if block.code.strip()]
    chosen = [block.code for block in blocks if block.tag in PYTHON_TAGS]
    chosen = chosen or [block.code for block in blocks if not block.tag]
    if chosen:
        # A single block counts even if it does not parse: broken code is an answer, and fails as `syntax_error`.
        return chosen[0] if len(chosen) == 1 else _pick(chosen)
    tree = None if blocks else _tree(text)
    # A lone Markdown heading parses as well, as a comment, and has no body.
    return text.strip("\n") + "\n" if tree is not None and tree.body else None


def _pick(codes: list[str]) -> str:
    parsed = [(code, _tree(code)) for code in codes]
    rest = [(code, tree) for code, tree in parsed if tree is None or not _imports_app(tree)]
    if any(tree is not None and _calls_app(tree) for _, tree in rest):
        parsed = rest  # next to the app, a block that imports it is a test
    for code, tree in reversed(parsed):
        if tree is not None and _calls_app(tree):
            # If not, the names that it lacks are in the other blocks, and all of them are joined.
            if _self_contained(tree):
                return code
            break
    joined = "\n".join(code for code, _ in parsed)
    if _tree(joined) is not None:
        return joined
    return max((code for code, _ in parsed), key=len)


class _Reader:
    """Reads the fenced blocks of a text. Fences go by index; the index past the last is the end of the text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._fences = list(fences(self._lines))
        self._allowance = _PARSED_AT_LEAST + _PARSED_PER_CHARACTER * len(text)

    def blocks(self) -> Iterator[CodeBlock]:
        index = 0
        while index < len(self._fences):
            opening = self._fences[index]
            index += 1
            if opening.tag in _CONTAINER_TAGS:
                index = self._after_container(index, opening)
                continue
            ends = self._ends(index, opening)
            end = self._parsing_end(opening, ends)
            inner = self._python_fence(index, ends[0]) if end is None and not opening.tag else None
            if inner is not None:
                index = inner  # this fence closed a container; the next block must not be swallowed
                continue
            end = ends[0] if end is None else end
            yield CodeBlock(opening.tag, self._code(opening, end))
            index = end + 1

    def _after_container(self, index: int, opening: Fence) -> int:
        """The index after a plain container that holds no fence, else that of its first fence."""
        plain = opening.tag in _PLAIN_TAGS and index < len(self._fences)
        return index + 1 if plain and self._fences[index].closes(opening) else index

    def _ends(self, start: int, opening: Fence) -> list[int]:
        """Fences that may close the block: untagged ones of its kind, else the end of the (truncated) answer."""
        ends: list[int] = []
        for index in range(start, len(self._fences)):
            fence = self._fences[index]
            if fence.closes(opening):
                ends.append(index)
                if len(ends) == _ENDS_TRIED:
                    break
            elif ends and fence.tag in PYTHON_TAGS:
                break  # the next block begins here
        return ends or [len(self._fences)]

    def _parsing_end(self, opening: Fence, ends: list[int]) -> int | None:
        """The first end at which the block parses as Python."""
        if opening.tag and opening.tag not in PYTHON_TAGS:
            return None
        return next((end for end in ends if self._parses(opening, end)), None)

    def _python_fence(self, start: int, end: int) -> int | None:
        """The first fence in this range that opens a Python block."""
        return next((index for index in range(start, end) if self._fences[index].tag in PYTHON_TAGS), None)

    def _parses(self, opening: Fence, end: int) -> bool:
        if self._allowance <= 0:
            return False
        code = self._code(opening, end)
        self._allowance -= len(code) + _PARSE_COST
        return _tree(code) is not None

    def _code(self, opening: Fence, end: int) -> str:
        last = self._fences[end].line if end < len(self._fences) else len(self._lines)
        return _dedented(self._lines[opening.line + 1 : last], opening.prefix)


def _dedented(lines: list[str], prefix: str) -> str:
    """Removes the margin of an indented or quoted fence: as wide as its prefix or the first line's, if that is wider.

    Python starts at column 0, so if the first line has no margin, only the fence was indented.
    """
    filler = " \t>" if ">" in prefix else " \t"
    bodies = ((line, line.lstrip(filler)) for line in lines)
    # A comment may stand in any column, so it does not show the margin.
    first = next((line[: len(line) - len(body)] for line, body in bodies if body and body[0] != "#"), "")
    width = max(len(margin.expandtabs(TAB)) for margin in (prefix, first)) if prefix and first else 0
    return "\n".join(_without_margin(line, width, filler) for line in lines) + "\n"


def _without_margin(line: str, width: int, filler: str) -> str:
    column = 0
    for number, char in enumerate(line):
        if column >= width or char not in filler:
            return line[number:]
        column += TAB - column % TAB if char == "\t" else 1
    return ""


def _tree(code: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is not our concern
            return ast.parse(code)
    # ValueError: null bytes and lone surrogates. The last two: brackets nested too deep for the parser.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _calls_app(tree: ast.Module) -> bool:
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return any("App" in (getattr(func, "attr", None), getattr(func, "id", None)) for func in called)


def _imports_app(tree: ast.Module) -> bool:
    """Whether the block imports `app`, the file it would be itself."""
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == "app")
        or (isinstance(node, ast.Import) and any(alias.name == "app" for alias in node.names))
        for node in ast.walk(tree)
    )


def _self_contained(tree: ast.Module) -> bool:
    """Whether it does not import the app, and every name it reads is bound in the block or built in."""
    if _imports_app(tree):
        return False
    bound, read = set(_BUILTINS), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            # Any name may come from there.
            if node.name == "*":
                return True
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            bound.add(node.name)
    return read <= bound
