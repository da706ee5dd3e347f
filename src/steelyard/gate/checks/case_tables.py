"""Tables of cases in tests: what their rows expect. Pure.

A table is `parametrize` with literal rows, or a loop over a literal list. The column that an equality of the test
compares with is what the rows expect, if the test uses it for nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

Columns = Mapping[str, list[ast.expr]]
"""Name of a variable → its values, row by row."""

Compared = Callable[[ast.stmt], list[ast.expr]]
"""The two sides of an equality that a statement asserts; nothing if it is anything else."""


def expected_values(
    test: ast.FunctionDef | ast.AsyncFunctionDef, statement: ast.stmt, compared: Compared
) -> list[ast.expr]:
    """What the rows of a table expect in a statement of a test; nothing if there is no table, or it is not certain."""
    for column, values in _expected(statement, _parametrized(test), compared):
        if _uses(test.body, column) == 1:
            return values
    return []


def _expected(statement: ast.stmt, columns: Columns, compared: Compared) -> Iterator[tuple[str, list[ast.expr]]]:
    body: Sequence[ast.stmt] = []
    if isinstance(statement, ast.With) and all(_is_subtest(item.context_expr) for item in statement.items):
        body = statement.body
    elif isinstance(statement, ast.For) and not any(
        isinstance(n, ast.Break | ast.Continue) for n in ast.walk(statement)
    ):
        body = statement.body
        columns = {**columns, **_columns(_targets(statement.target), statement.iter)}
    for inner in body:
        yield from _expected(inner, columns, compared)
    names = [side.id for side in compared(statement) if isinstance(side, ast.Name) and side.id in columns]
    if len(names) == 1:
        yield names[0], columns[names[0]]


def _is_subtest(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "subTest"


def _parametrized(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Columns:
    """The columns of the tables that decorate a test."""
    calls = [node for node in test.decorator_list if isinstance(node, ast.Call) and len(node.args) >= 2]
    tables = [node for node in calls if isinstance(node.func, ast.Attribute) and node.func.attr == "parametrize"]
    return {
        name: values
        for node in tables
        for name, values in _columns(_argument_names(node.args[0]), node.args[1]).items()
    }


def _argument_names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    texts = [each.value for each in _elements(node) if isinstance(each, ast.Constant)]
    return [text for text in texts if isinstance(text, str)]


def _targets(node: ast.expr) -> list[str]:
    return [each.id for each in (_elements(node) or [node]) if isinstance(each, ast.Name)]


def _columns(names: list[str], table: ast.expr) -> Columns:
    """The columns of a table whose rows all have the length of the names; nothing if one has not."""
    rows = _elements(table)
    if len(names) == 1:
        return {names[0]: rows} if rows else {}
    cells = [_elements(row) for row in rows]
    if not rows or not names or any(len(row) != len(names) for row in cells):
        return {}
    return {name: [row[place] for row in cells] for place, name in enumerate(names)}


def _elements(node: ast.expr) -> list[ast.expr]:
    """The elements of a list, a tuple or `pytest.param(…)`; nothing if it is anything else, or not written out."""
    if isinstance(node, ast.List | ast.Tuple):
        elements = node.elts
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "param":
        elements = node.args
    else:
        return []
    return [] if any(isinstance(each, ast.Starred) for each in elements) else list(elements)


def _uses(body: Sequence[ast.stmt], name: str) -> int:
    """How often a test uses a variable, but for the words that name a subtest."""
    named = {
        id(below)
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.expr) and _is_subtest(node)
        for below in ast.walk(node)
    }
    nodes = (node for statement in body for node in ast.walk(statement))
    loads = (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return sum(node.id == name and id(node) not in named for node in loads)
