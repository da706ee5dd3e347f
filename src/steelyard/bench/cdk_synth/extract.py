"""Which Python code an answer contains (docs/scoring.md §1.5). Pure, and total: any text gives code or None.

Law: fenced blocks tagged `python`, `py` or `python3` in any case, else untagged ones. One block is taken as it stands.
Several: the last one whose syntax tree calls `App(...)`, if it stands alone (it parses and binds every name it uses);
else all of them joined in order, if that parses; else the largest. No fence: the raw text, if it parses as Python.
A block that imports `app` does not stand alone; beside one that calls `App(...)` itself it is a test, and left out.
Thinking (`<think>…</think>` before the answer) is no part of the answer. Fences are backticks or tildes, three or more,
indented, quoted, behind a list mark or not; a fence inside a string of the code does not end a block that would then
not parse. No text, however hostile, takes more than a few seconds per megabyte.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from typing import NamedTuple

from steelyard.markdown import TAB, Fence, fences
from steelyard.text import line_ends

PYTHON_TAGS = frozenset({"python", "py", "python3"})
_CONTAINER_TAGS = frozenset({"markdown", "md", "text", "txt"})
"""Fences that wrap a whole answer: what they contain is read as if they were not there."""
_PLAIN_TAGS = frozenset({"text", "txt"})
"""Containers that more often hold plain text, such as a list of files: without a fence inside they are passed over."""
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"\A(?:(?!```|~~~).)*?</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_ENDS_TRIED = 12
"""How many closing fences are tried for one block before its first one is taken."""
_PARSED_AT_LEAST, _PARSED_PER_CHARACTER, _PARSE_COST = 200_000, 4, 1_000
"""Characters that are parsed to find the ends of blocks: at least, per character of the answer, and what one parse
costs beside its length. No honest answer comes near it; in a flood of fences the first ends are taken from there on."""
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__spec__", "__annotations__"}


class CodeBlock(NamedTuple):
    """One fenced block."""

    tag: str
    """Lower case; empty when untagged."""
    code: str


def extract(answer: str) -> str | None:
    """The code of an answer, or None when there is nothing to run."""
    text = _answer_proper(answer)
    blocks = [block for block in _Reading(text).blocks() if block.code.strip()]
    chosen = [block.code for block in blocks if block.tag in PYTHON_TAGS]
    chosen = chosen or [block.code for block in blocks if not block.tag]
    if chosen:
        return chosen[0] if len(chosen) == 1 else _pick(chosen)
    tree = None if blocks else _tree(text)
    return text.strip("\n") + "\n" if tree is not None and tree.body else None


def _answer_proper(answer: str) -> str:
    text = line_ends(answer.removeprefix("\ufeff"))
    shorter = _THOUGHT.sub("", text, count=1)
    # Some servers swallow the opening tag.
    return _THOUGHT_END.sub("", shorter, count=1) if shorter == text else shorter


def _pick(codes: list[str]) -> str:
    read = _without_tests([(code, _tree(code)) for code in codes])
    for code, tree in reversed(read):
        if tree is not None and _calls_app(tree):
            if _stands_alone(tree):
                return code
            break
    joined = "\n".join(code for code, _ in read)
    if _tree(joined) is not None:
        return joined
    return max((code for code, _ in read), key=len)


def _without_tests(read: list[tuple[str, ast.Module | None]]) -> list[tuple[str, ast.Module | None]]:
    """Without the blocks that import the app, if another block is the app."""
    rest = [(code, tree) for code, tree in read if tree is None or not _imports_app(tree)]
    return rest if any(tree is not None and _calls_app(tree) for _, tree in rest) else read


class _Reading:
    """The fenced blocks of a text. Fences are named by their index; the one past the last is the end of the text."""

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
                index = inner  # no opening at all: it closed a container, and the next block must not be lost in it
                continue
            end = ends[0] if end is None else end
            yield CodeBlock(opening.tag, self._code(opening, end))
            index = end + 1

    def _after_container(self, index: int, opening: Fence) -> int:
        """Behind a plain container whose next fence closes it; at its first fence otherwise."""
        plain = opening.tag in _PLAIN_TAGS and index < len(self._fences)
        return index + 1 if plain and self._fences[index].closes(opening) else index

    def _ends(self, start: int, opening: Fence) -> list[int]:
        """What may close the block: bare fences of its kind; without one, the end of a truncated answer."""
        found: list[int] = []
        for index in range(start, len(self._fences)):
            fence = self._fences[index]
            if fence.closes(opening):
                found.append(index)
                if len(found) == _ENDS_TRIED:
                    break
            elif found and fence.tag in PYTHON_TAGS:
                break  # the next block begins here
        return found or [len(self._fences)]

    def _parsing_end(self, opening: Fence, ends: list[int]) -> int | None:
        """The first end that leaves Python which parses."""
        if opening.tag and opening.tag not in PYTHON_TAGS:
            return None
        return next((end for end in ends if self._parses(opening, end)), None)

    def _parses(self, opening: Fence, end: int) -> bool:
        if self._allowance <= 0:
            return False
        code = self._code(opening, end)
        self._allowance -= len(code) + _PARSE_COST
        return _tree(code) is not None

    def _python_fence(self, start: int, end: int) -> int | None:
        """The first fence among these that opens a Python block."""
        return next((index for index in range(start, end) if self._fences[index].tag in PYTHON_TAGS), None)

    def _code(self, opening: Fence, end: int) -> str:
        last = self._fences[end].line if end < len(self._fences) else len(self._lines)
        return _cut(self._lines[opening.line + 1 : last], opening.prefix)


def _cut(lines: list[str], prefix: str) -> str:
    """Without the margin that the fence's own prefix gives the block: as wide as that, or as its first line has it.

    Python starts at the margin, so a first line without one says that the fence alone was indented.
    """
    filler = " \t>" if ">" in prefix else " \t"
    bodies = ((line, line.lstrip(filler)) for line in lines)
    first = next((line[: len(line) - len(body)] for line, body in bodies if body and body[0] != "#"), "")
    width = max(_columns(prefix), _columns(first)) if prefix and first else 0
    return "\n".join(_without_margin(line, width, filler) for line in lines) + "\n"


def _columns(margin: str) -> int:
    return len(margin.expandtabs(TAB))


def _without_margin(line: str, width: int, filler: str) -> str:
    column = 0
    for number, char in enumerate(line):
        if column >= width or char not in filler:
            return line[number:]
        column += TAB - column % TAB if char == "\t" else 1
    return ""


def _tree(code: str) -> ast.Module | None:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is the subject's business
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _calls_app(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
            if name == "App":
                return True
    return False


def _imports_app(tree: ast.Module) -> bool:
    """Whether the block needs the file that it would have to be itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "app":
            return True
        if isinstance(node, ast.Import) and any(alias.name == "app" for alias in node.names):
            return True
    return False


def _stands_alone(tree: ast.Module) -> bool:
    """Whether it does not import the app, and every name that is read is bound somewhere in the block, or built in."""
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
            if node.name == "*":
                return True
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            bound.add(node.name)
    return read <= bound
