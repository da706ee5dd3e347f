"""Tables of cases in tests: what their rows expect. Pure.

A table is `parametrize` with literal rows, a loop over a literal list, or a variable that is set once, which is a table
of one row. The column that an equality of the test compares with is what the rows expect, if the test uses it for
nothing else; a variable of the module may be used by no other test either.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

_Function = ast.FunctionDef | ast.AsyncFunctionDef
Columns = Mapping[str, list[ast.expr]]
"""Name of a variable → its values, row by row."""

Compared = Callable[[ast.stmt], list[ast.expr]]
"""The two sides of an equality that a statement asserts; nothing if it is anything else."""


def expected_values(test: _Function, statement: ast.stmt, compared: Compared, module: Columns) -> list[ast.expr]:
    """What the rows of a table expect in a statement of a test; nothing if there is no table, or it is not certain.

    `module` are the constants of the test's module (`constants`).
    """
    # The nearest definition wins, as in Python.
    own = {**module, **_assigned(test.body, test), **_parametrized(test)}
    for column, values in _expected(statement, own, compared):
        # A value that the test also passes on would change on both sides of the comparison, and the test might still
        # pass.
        if _uses(test.body, column) == 1:
            return values
    return []


def constants(module: ast.Module) -> Columns:
    """The variables of a module that are set once and used once."""
    return {name: values for name, values in _assigned(module.body, module).items() if _uses(module.body, name) == 1}


def _assigned(body: Sequence[ast.stmt], scope: ast.AST) -> Columns:
    """The variables that are set to a value written out in a body, and nowhere else below its owner."""
    pairs = [(each.targets[0], each.value) for each in body if isinstance(each, ast.Assign) and len(each.targets) == 1]
    nodes = [node for node in ast.walk(scope) if isinstance(node, ast.Name | ast.arg | ast.alias)]
    bound = Counter(_bound(node) for node in nodes)
    # A name that is bound a second time may hold something else by the time it is compared.
    names = [(target.id, value) for target, value in pairs if isinstance(target, ast.Name)]
    written = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp)
    return {name: [value] for name, value in names if bound[name] == 1 and isinstance(value, written)}


def _bound(node: ast.Name | ast.arg | ast.alias) -> str:
    """The name that a node gives a value, if it does."""
    match node:
        case ast.arg():
            return node.arg
        case ast.alias():
            return node.asname or node.name
        case ast.Name():
            return "" if isinstance(node.ctx, ast.Load) else node.id


def _expected(statement: ast.stmt, columns: Columns, compared: Compared) -> Iterator[tuple[str, list[ast.expr]]]:
    body: Sequence[ast.stmt] = []
    if isinstance(statement, ast.With) and all(_is_subtest(item.context_expr) for item in statement.items):
        body = statement.body
    # A loop that can skip rows might never reach the changed one.
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


def _parametrized(test: _Function) -> Columns:
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
    # A single name takes each row whole, even if it is a tuple.
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
    # `*rows` may stand for any number of elements.
    return [] if any(isinstance(each, ast.Starred) for each in elements) else list(elements)


def _uses(body: Sequence[ast.stmt], name: str) -> int:
    """How often a test uses a variable, but for the words that name a subtest."""
    # `subTest(name=…)` only labels a case: a change there changes no outcome.
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
