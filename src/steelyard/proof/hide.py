"""A tree without some of its tests: those that tell where a problem is, or that prove nothing. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import replace

from steelyard.proof.prove import Proof
from steelyard.tree import File, Tree

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def without_tests(tree: Tree, tests: Collection[str], places: Mapping[str, tuple[str, int]]) -> dict[str, File]:
    """The tree without the functions of these tests; where one cannot be found, without its file."""
    made = dict(tree)
    by_file: dict[str, set[int]] = {}
    for name in tests:
        path, line = places.get(name, ("", 0))
        if path in tree:
            by_file.setdefault(path, set()).add(line)
        else:
            made.pop(name.partition("::")[0], None)
    for path, lines in by_file.items():
        text = _without_functions(tree[path].data, lines)
        if text is None:
            made.pop(path, None)
        elif path in made:
            made[path] = File(text, tree[path].executable)
    return made


def set_aside(tree: Tree, proof: Proof, suites: Collection[str]) -> tuple[dict[str, File], Proof] | None:
    """The tree and the proof without the functions of tests that are flaky or fail anyway; None if one of them is not
    in these files, or if nothing that turned green is left."""
    gone = {proof.places.get(name, ("", 0)) for name in (*proof.flaky, *proof.broken)}
    if any(path not in suites for path, _ in gone):
        return None
    kept = [name for name in (*proof.turned, *proof.steady) if proof.places.get(name) not in gone]
    turned, steady = (tuple(name for name in names if name in kept) for names in (proof.turned, proof.steady))
    made = without_tests(tree, (*proof.flaky, *proof.broken), proof.places)
    if not turned or any(path not in made for path, _ in gone):
        return None
    return made, replace(proof, turned=turned, steady=steady)


def _without_functions(data: bytes, lines: Collection[int]) -> bytes | None:
    """The source without the functions that begin at these lines; None if one of them is not there."""
    try:
        module = ast.parse(data)
    except (SyntaxError, ValueError):
        return None
    gone: dict[int, tuple[int, str]] = {}
    for node in ast.walk(module):
        # A function below an `if` or `try` is not found, and the caller drops the whole file.
        body: list[ast.stmt] = getattr(node, "body", None) if isinstance(node, ast.Module | ast.ClassDef) else []  # type: ignore[assignment]
        leaving = [item for item in body if isinstance(item, _Function) and _first(item) in lines]
        empty = len(leaving) == len(body) and isinstance(node, ast.ClassDef)
        for item in leaving:
            last = item.end_lineno or item.lineno
            # A class without a body would not parse.
            stub = " " * item.col_offset + "pass\n" if empty and item is leaving[0] else ""
            gone[_first(item)] = (last, stub)
    if set(lines) - set(gone):
        return None
    source = data.splitlines(keepends=True)
    # From the end, so that the lines before stay where they were.
    for first in sorted(gone, reverse=True):
        last, stub = gone[first]
        source[first - 1 : last] = [stub.encode()] if stub else []
    return b"".join(source)


def _first(node: _Function) -> int:
    # Places are first lines of code objects, which begin at the first decorator.
    return min([node.lineno, *(item.lineno for item in node.decorator_list)])
