"""What can be told about a candidate without running it. Pure."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

from steelyard.proof.candidates import Candidate
from steelyard.tree import Tree

_WITH_TEXT = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def pointless(candidate: Candidate, old: Tree, new: Tree) -> str:
    """Why running the tests of a commit would be no use; empty if it may be, as for every language but Python."""
    if candidate.runner != "pytest":
        return ""
    try:
        source, tests = (_changed(paths, old, new) for paths in (candidate.source, candidate.suites))
    except RecursionError:  # a sum of thousands of terms, for example, which Python itself can run
        return ""
    except (SyntaxError, ValueError, MemoryError):
        return "is not written in the Python that is here"
    if not source:
        return "changes only comments, docstrings or layout"
    return "" if tests or candidate.tests != candidate.suites else "changes no test but for its layout"


def _changed(paths: Iterable[str], old: Tree, new: Tree) -> bool:
    """Whether what these files do differs; all of them must be Python."""
    sides = [(_code(old, path), _code(new, path)) for path in paths]
    return any(before != after for before, after in sides)


def _code(tree: Tree, path: str) -> str:
    """A module without comments, docstrings and layout; empty if it is not there."""
    if path not in tree or tree[path].link is not None:
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes that a later Python refuses
        module = ast.parse(tree[path].data)
    for node in ast.walk(module):
        if isinstance(node, _WITH_TEXT) and node.body and _is_text(node.body[0]):
            del node.body[0]
    return ast.dump(module)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
