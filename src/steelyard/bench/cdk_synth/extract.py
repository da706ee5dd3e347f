"""Which Python code an answer contains (docs/scoring.md §1.5). Pure, and total: any text gives code or None.

Law: fenced blocks tagged `python`, `py` or `python3` in any case, else untagged ones. One block is taken as it stands.
Several: the last one whose syntax tree calls `App(...)`, if it stands alone (it parses and binds every name it uses);
else all of them joined in order, if that parses; else the largest. No fence: the raw text, if it parses as Python.
Thinking (`<think>…</think>` before the answer) is no part of the answer. Fences are backticks or tildes, three or more,
indented or not; a fence inside a string of the code does not end a block that would then not parse.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from typing import NamedTuple

PYTHON_TAGS = frozenset({"python", "py", "python3"})
_CONTAINER_TAGS = frozenset({"markdown", "md", "text", "txt"})
"""Fences that wrap a whole answer: what they contain is read as if they were not there."""
_PLAIN_TAGS = frozenset({"text", "txt"})
"""Containers that more often hold plain text, such as a list of files: without a fence inside they are passed over."""
_FENCE = re.compile(r"^([ \t]*(?:>[ \t]?)*)(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_TAG = re.compile(r"[{.\s]*([A-Za-z0-9_+#-]*)")
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"\A(?:(?!```|~~~).)*?</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_ENDS_TRIED = 12
"""How many closing fences are tried for one block before its first one is taken."""
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__spec__", "__annotations__"}


class Block(NamedTuple):
    """One fenced block."""

    tag: str
    """Lower case; empty when untagged."""
    code: str


def extract(answer: str) -> str | None:
    """The code of an answer, or None when there is nothing to run."""
    text = _answer_proper(answer)
    blocks = [block for block in _blocks(text) if block.code.strip()]
    chosen = [block.code for block in blocks if block.tag in PYTHON_TAGS]
    chosen = chosen or [block.code for block in blocks if not block.tag]
    if chosen:
        return chosen[0] if len(chosen) == 1 else _pick(chosen)
    tree = None if blocks else _tree(text)
    return text.strip("\n") + "\n" if tree is not None and tree.body else None


def _answer_proper(answer: str) -> str:
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    shorter = _THOUGHT.sub("", text, count=1)
    # Some servers swallow the opening tag.
    return _THOUGHT_END.sub("", shorter, count=1) if shorter == text else shorter


def _pick(codes: list[str]) -> str:
    for code in reversed(codes):
        tree = _tree(code)
        if tree is not None and _calls_app(tree):
            if _stands_alone(tree):
                return code
            break
    joined = "\n".join(codes)
    if _tree(joined) is not None:
        return joined
    return max(codes, key=len)


def _blocks(text: str) -> Iterator[Block]:
    lines = text.split("\n")
    position = 0
    while position < len(lines):
        opening = _FENCE.match(lines[position])
        position += 1
        if opening is None:
            continue
        tag = _tag(opening[3])
        if tag in _CONTAINER_TAGS:
            position = _after_plain(lines, position, opening[2]) if tag in _PLAIN_TAGS else position
            continue
        ends = _ends(lines, position, opening[2])
        code, end = _body(lines, position, ends, len(opening[1].expandtabs(4)), tag)
        inner = None if tag else _python_fence(lines, position, end)
        if inner is not None and _tree(code) is None:
            position = inner  # no opening at all: it closed a container, and the next block must not be lost in it
            continue
        yield Block(tag, code)
        position = end + 1


def _after_plain(lines: list[str], start: int, fence: str) -> int:
    """Behind a container whose next fence closes it; its first line when it has a fence inside, or no end."""
    for number in range(start, len(lines)):
        match = _FENCE.match(lines[number])
        if match:
            closes = match[2].startswith(fence) and not match[3].strip()
            return number + 1 if closes else start
    return start


def _python_fence(lines: list[str], start: int, end: int) -> int | None:
    """The first line among these that opens a Python block."""
    for number in range(start, end):
        match = _FENCE.match(lines[number])
        if match and _tag(match[3]) in PYTHON_TAGS:
            return number
    return None


def _body(lines: list[str], start: int, ends: list[int], indent: int, tag: str) -> tuple[str, int]:
    """The block up to the first closing fence that leaves Python which parses; up to the first one otherwise."""
    first = ends[0]
    if tag in PYTHON_TAGS or not tag:
        for end in ends:
            code = _cut(lines[start:end], indent)
            if _tree(code) is not None:
                return code, end
    return _cut(lines[start:first], indent), first


def _ends(lines: list[str], start: int, fence: str) -> list[int]:
    """Lines that may close the block: bare fences of its kind; without one, the end of a truncated answer."""
    found: list[int] = []
    for number in range(start, len(lines)):
        match = _FENCE.match(lines[number])
        if match and match[2][0] == fence[0] and len(match[2]) >= len(fence) and not match[3].strip():
            found.append(number)
            if len(found) == _ENDS_TRIED:
                break
        elif match and found and _tag(match[3]) in PYTHON_TAGS:
            break  # the next block begins here
    return found or [len(lines)]


def _cut(lines: list[str], indent: int) -> str:
    """Without the indentation that the fence itself had."""
    shorter = (line[min(indent, len(line) - len(line.lstrip(" \t>"))) :] if indent else line for line in lines)
    return "\n".join(shorter) + "\n"


def _tag(info: str) -> str:
    match = _TAG.match(info)
    return match[1].lower() if match else ""


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


def _stands_alone(tree: ast.Module) -> bool:
    """Whether every name that is read is bound somewhere in the block, or built in."""
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
