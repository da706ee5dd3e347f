"""Whether an app is plain: a description that a reviewer can read, and that computes nothing. Pure.

An app that finds its own values while it is synthesized (the patterns that separate two lists, say) answers another
question than the one that was asked, and nobody can tell from reading it what it deploys. So a plain app is made of
imports, assignments and calls, and of nothing that could hide a search. The rule says what is permitted; everything
else is refused, also what Python has yet to invent.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

PLAIN = "plain"
"""Id of the assertion that items with this rule have."""
MESSAGE = "the app is a plain description"
MOST_CHARACTERS = 10_000
"""A longer app could write a search out, step by step."""

_PERMITTED = (
    *(ast.Import, ast.ImportFrom, ast.alias, ast.Assign, ast.Expr, ast.Name, ast.Load, ast.Store),
    *(ast.Call, ast.keyword, ast.Attribute, ast.Constant, ast.List, ast.Tuple, ast.Dict),
    *(ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.Add, ast.UnaryOp, ast.USub),
)
_METHODS = {name for kind in (str, list, dict, int, float) for name in dir(kind)}
"""What values of Python can do. Attributes of constructs are such values too: an ARN is a string."""
# `Code.from_custom_command` runs any program while the app is synthesized.
_STARTS_PROGRAMS = {"from_custom_command"}

_DEEPEST = 3
"""Attributes from a name to a class, and one more; longer paths are those of values."""

Names = Mapping[str, str]
"""Name → the module or class of the library that it was imported as; empty for a value."""


def _is_module(path: str) -> bool:
    package, _, module = path.partition(".")
    if package == "aws_cdk" and module:
        return module.startswith("aws_") and "." not in module
    return path in ("aws_cdk", "constructs")


def _is_class(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return _is_module(module) and "A" <= name[:1] <= "Z"


def offence(source: str) -> str | None:
    """The first thing in the app that is not plain, with its line; None if there is none."""
    if len(source) > MOST_CHARACTERS:
        return f"{len(source)} characters, more than {MOST_CHARACTERS}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"Python cannot read it: {type(error).__name__}"
    names: dict[str, str] = {}
    for statement in statements:
        read_on = {id(node.value) for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
        for node in ast.walk(statement):
            if problem := _problem(node, names, id(node) in read_on):
                return f"line {getattr(node, 'lineno', statement.lineno)}: {problem}"
        # Only now: a statement cannot use the names that it binds itself.
        names |= _bound(statement)
    return None


def _problem(node: ast.AST, names: Names, read_on: bool) -> str | None:
    """What is wrong with one node; `read_on` if an attribute of it is taken."""
    if not isinstance(node, _PERMITTED):
        return type(node).__name__
    match node:
        case ast.Import() | ast.ImportFrom():
            return _import_problem(node)
        case ast.Assign(targets=targets) if not all(isinstance(target, ast.Name) for target in targets):
            return "an assignment to something else than a name"
        case ast.Expr(value=value) if not isinstance(value, ast.Call) and not _is_constant(value, str):
            return "a statement that is no call"
        case ast.Constant():
            return None if node.value is None or _is_constant(node, str, int, float) else "an unusual constant"
        case ast.UnaryOp(operand=operand):
            return None if _is_constant(operand, int, float) else "an operator"
        case ast.Call(func=called):
            return _call_problem(called, names)
        case ast.keyword(arg=None):
            return "** in a call"
        case ast.Dict(keys=keys):
            return "** in a dictionary" if None in keys else None
        case ast.FormattedValue(conversion=conversion, format_spec=spec):
            # A format computes: `f"{65:c}"` is a letter.
            return None if conversion == -1 and spec is None else "a format in an f-string"
        case ast.Attribute():
            return _attribute_problem(node, names) or _value_problem(node, names, read_on)
        case ast.Name(ctx=ast.Load()):
            unknown = None if node.id in names else f"{node.id} is not a name of this app"
            return unknown or _value_problem(node, names, read_on)
        case _:
            return None


def _is_constant(node: ast.AST, *kinds: type) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, kinds)


def _import_problem(node: ast.Import | ast.ImportFrom) -> str | None:
    if isinstance(node, ast.Import):
        wrong = [alias.name for alias in node.names if not _is_module(alias.name)]
    else:
        paths = [f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names]
        wrong = [path for path in paths if not _of_library(path)]
    return f"import of {wrong[0]}" if wrong else None


def _attribute_problem(node: ast.Attribute, names: Names) -> str | None:
    name, path = node.attr, _path(node.value, names)
    if not isinstance(node.value, ast.Name | ast.Attribute | ast.Call):
        return f"an attribute of a literal: {name}"
    if name.startswith("_") or name in _STARTS_PROGRAMS:
        return f"attribute {name}"
    if _is_module(path) and not _of_library(f"{path}.{name}"):
        return f"{path}.{name} is not a part of the library"
    return None


def _call_problem(called: ast.expr, names: Names) -> str | None:
    """A method of Python's values is harmless until it is called: a stack has the attribute `partition` too."""
    path = _path(called, names)
    if isinstance(called, ast.Attribute):
        inert = called.attr not in _METHODS or _is_class(path.rpartition(".")[0])
        return None if inert else f"a method of Python's values: {called.attr}"
    return None if _is_class(path) else f"a call of {getattr(called, 'id', 'a value')}, which is no class"


def _of_library(path: str) -> bool:
    return _is_module(path) or _is_class(path)


def _value_problem(node: ast.Name | ast.Attribute, names: Names, read_on: bool) -> str | None:
    # Under a name of its own, the rule would not see which part of the module is read (`m = cdk`, then `m.jsii`).
    return "a module as a value" if not read_on and _is_module(_path(node, names)) else None


def _path(node: ast.AST, names: Names) -> str:
    """The dotted path of a module, a class or what it contains; empty for the attributes of a value."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < _DEEPEST:
        parts.append(node.attr)
        node = node.value
    root = names.get(node.id, "") if isinstance(node, ast.Name) else ""
    return ".".join([root, *reversed(parts)]) if root else ""


def _bound(statement: ast.stmt) -> dict[str, str]:
    """The names that a plain statement gives a meaning."""
    match statement:
        case ast.Import(names=aliases):
            # `import a.b` binds `a`, `import a.b as c` binds `a.b`.
            roots = [(alias, alias.name.partition(".")[0]) for alias in aliases]
            return {alias.asname or root: alias.name if alias.asname else root for alias, root in roots}
        case ast.ImportFrom(module=module, names=aliases):
            return {alias.asname or alias.name: f"{module}.{alias.name}" for alias in aliases}
        case ast.Assign(targets=targets):
            return {target.id: "" for target in targets if isinstance(target, ast.Name)}
        case _:
            return {}
