"""Where problems can be planted in a Python file, found on its concrete syntax tree (LibCST). Pure.

Not every edit that is found here changes what the code means: `site.changes_meaning` looks at one before it is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider, PositionProvider

from steelyard.audit.plant.site import Site

_COMPARISONS: dict[type[cst.BaseCompOp], tuple[str, str]] = {
    cst.LessThan: ("<=", "off by one"),
    cst.LessThanEqual: ("<", "off by one"),
    cst.GreaterThan: (">=", "off by one"),
    cst.GreaterThanEqual: (">", "off by one"),
    cst.Equal: ("!=", "inverted condition"),
    cst.NotEqual: ("==", "inverted condition"),
    cst.Is: ("is not", "inverted condition"),
    cst.IsNot: ("is", "inverted condition"),
    cst.In: ("not in", "inverted condition"),
    cst.NotIn: ("in", "inverted condition"),
}
_ARITHMETIC: dict[type[cst.BaseBinaryOp], str] = {
    cst.Add: "-",
    cst.Subtract: "+",
    cst.FloorDivide: "/",
    cst.Modulo: "//",
    cst.BitAnd: "|",
    cst.BitOr: "&",
}
_SHOWN = 100
"""Characters of code that a key quotes."""
_HEAD = 600
"""Bytes at the start of a file in which it says that it was generated."""


def generated(data: bytes) -> bool:
    """Whether a file says of itself that a program wrote it, by the two marks that tools agree on."""
    head = data[:_HEAD].lower()
    return b"@generated" in head or (b"generated" in head and b"do not edit" in head)


def sites(path: str, data: bytes) -> list[Site]:
    """Every place of a file where a problem can be planted; none in a file that is not plain Python in UTF-8."""
    try:
        data.decode("utf-8")
        module = cst.parse_module(data)
    except (cst.ParserSyntaxError, UnicodeDecodeError, RecursionError):
        return []
    if data.startswith(b"\xef\xbb\xbf") or b"\r" in data:
        return []
    # A tree that was just parsed holds no node twice, so it needs no copy.
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    finder = _Finder(path, data)
    wrapper.visit(finder)
    return list(dict.fromkeys(finder.found))


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (ByteSpanPositionProvider, PositionProvider, ParentNodeProvider)

    def __init__(self, path: str, data: bytes) -> None:
        super().__init__()
        self.path, self.data = path, data
        self.found: list[Site] = []
        self._names: list[str] = []
        self._bodies: list[cst.FunctionDef] = []

    # where we are

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._names.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._names.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self._names.append(node.name.value)
        self._bodies.append(node)
        self._defaults(node)
        return True

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._names.pop()
        self._bodies.pop()

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def visit_Decorator(self, node: cst.Decorator) -> bool:
        return False

    def visit_Assert(self, node: cst.Assert) -> bool:
        return False

    # statements

    def visit_If(self, node: cst.If) -> None:
        body = node.body
        if node.orelse is None and isinstance(body, cst.IndentedBlock) and len(body.body) == 1:
            only = body.body[0]
            leaves = isinstance(only, cst.SimpleStatementLine) and isinstance(
                only.body[-1], cst.Raise | cst.Return | cst.Continue
            )
            if leaves and not self._is_elif(node):
                self._drop("removed check", node, f"if {self._code(node.test)}")

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        if len(node.body) != 1 or not self._bodies:
            return
        small = node.body[0]
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
            called = small.value.func
            name = called.attr.value if isinstance(called, cst.Attribute) else ""
            self._drop("missing close" if name in ("close", "release") else "missing step", node, self._code(small))
        elif isinstance(small, cst.AugAssign) or (
            isinstance(small, cst.Assign) and isinstance(small.targets[0].target, cst.Attribute | cst.Subscript)
        ):
            self._drop("lost update", node, self._code(small))

    def visit_With(self, node: cst.With) -> None:
        held = [item for item in node.items if item.asname is None]
        body = node.body
        if len(held) != len(node.items) or not isinstance(body, cst.IndentedBlock) or not self._bodies:
            return
        first, last = self._span(body.body[0])[0], self._span(body.body[-1])[1]
        start, margin = self._line_start(self._span(node)[0]), self._indent(self._span(node)[0])
        block = self.data[self._line_start(first) : self._line_end(last)].decode()
        deeper = self._indent(first)
        # Less indentation would change a string that spans several lines.
        if '"""' in block or "'''" in block or node.leading_lines or not deeper.startswith(margin):
            return
        flat = "".join(
            margin + line.removeprefix(deeper) if line.startswith(deeper) else line
            for line in block.splitlines(keepends=True)
        )
        was = f"with {', '.join(self._code(item.item) for item in node.items)}"
        self._add("dropped lock", node, start, self._line_end(last), flat, was)

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        body = node.body.body
        if isinstance(node.type, cst.Tuple) and len(node.type.elements) > 1:
            kept = node.type.elements[0].value
            self._replace("uncaught error", node.type, self._code(kept), f"except {self._code(node.type)}")
        if body and isinstance(body[-1], cst.SimpleStatementLine) and isinstance(body[-1].body[-1], cst.Raise):
            indent = "pass" if len(body) == 1 else "return None"
            self._replace("swallowed error", body[-1], indent, self._code(body[-1]).strip())

    # expressions

    def visit_Comparison(self, node: cst.Comparison) -> None:
        if len(node.comparisons) != 1:
            return
        target = node.comparisons[0]
        other = _COMPARISONS.get(type(target.operator))
        if other is not None:
            text = f"{self._operand(node.left)} {other[0]} {self._operand(target.comparator)}"
            self._replace(other[1], node, text)

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> None:
        for half in (node.left, node.right):
            self._replace("weakened condition", node, self._operand(half))
        joined = "or" if isinstance(node.operator, cst.And) else "and"
        self._replace("inverted condition", node, f"{self._operand(node.left)} {joined} {self._operand(node.right)}")

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        if isinstance(node.operator, cst.Not):
            self._replace("inverted condition", node, self._operand(node.expression))

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        one = isinstance(node.right, cst.Integer) and node.right.value == "1"
        if one and isinstance(node.operator, cst.Add | cst.Subtract):
            self._replace("off by one", node, self._operand(node.left))
        elif isinstance(node.operator, cst.Multiply | cst.Divide) and isinstance(node.right, cst.Integer | cst.Float):
            self._replace("wrong unit", node, self._operand(node.left))
        elif (other := _ARITHMETIC.get(type(node.operator))) is not None and not _is_text(node):
            self._replace("wrong operator", node, f"{self._operand(node.left)} {other} {self._operand(node.right)}")

    def visit_Slice(self, node: cst.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is not None:
                self._replace("off by one", bound, f"{self._code(bound)} + 1", self._code(node))

    def visit_Await(self, node: cst.Await) -> None:
        self._replace("dropped await", node, self._operand(node.expression))

    def visit_Call(self, node: cst.Call) -> None:
        plain = [arg for arg in node.args if arg.keyword is None and not arg.star]
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else self._code(node.func)
        if name == "range" and plain and len(plain) == len(node.args):
            end = plain[0 if len(plain) == 1 else 1].value
            self._replace("off by one", end, f"{self._code(end)} - 1", self._code(node))
        elif len(node.args) == 1 and plain and not isinstance(self._parent(node), cst.Expr | cst.Raise):
            if "escape" in name or "quote" in name:
                self._replace("unescaped input", node, self._code(plain[0].value))
            elif isinstance(node.func, cst.Name):
                self._replace("unconverted value", node, self._code(plain[0].value))
        elif len(plain) >= 2 and all(isinstance(arg.value, cst.Name | cst.Attribute) for arg in plain[:2]):
            first, second = plain[0].value, plain[1].value
            begin, end = self._span(first)[0], self._span(second)[1]
            middle = self.data[self._span(first)[1] : self._span(second)[0]].decode()
            text = f"{self._code(second)}{middle}{self._code(first)}"
            self._add("swapped arguments", node, begin, end, text, self._code(node))
        if name in ("get", "pop", "setdefault", "getattr") and len(plain) > 1:
            self._default(plain[-1].value, self._code(node))

    def visit_Subscript(self, node: cst.Subscript) -> None:
        index = node.slice[0].slice if len(node.slice) == 1 else None
        if isinstance(index, cst.Index) and isinstance(index.value, cst.Integer):
            value = int(index.value.value.replace("_", ""), 0)
            self._replace("wrong key", index.value, str(value + 1 if value == 0 else value - 1), self._code(node))

    # defaults

    def _defaults(self, node: cst.FunctionDef) -> None:
        # The line of a default runs once, at import; the tests that may notice run the body.
        body = self._lines(node.body)
        for param in (*node.params.params, *node.params.kwonly_params):
            if param.default is not None:
                self._default(param.default, f"{param.name.value}={self._code(param.default)}", body)

    def _default(self, value: cst.BaseExpression, was: str, watched: tuple[int, int] | None = None) -> None:
        other = _other(value)
        if other:
            self._replace("wrong default", value, other, was, watched)

    # edits

    def _replace(
        self, kind: str, node: cst.CSTNode, text: str, was: str | None = None, watched: tuple[int, int] | None = None
    ) -> None:
        start, end = self._span(node)
        self._add(kind, node, start, end, text, self._code(node) if was is None else was, watched)

    def _drop(self, kind: str, node: cst.BaseStatement, was: str) -> None:
        """Remove a statement with its lines; a block must not become empty."""
        parent = self._parent(node)
        siblings = cast(Sequence[Any], parent.body) if isinstance(parent, cst.IndentedBlock | cst.Module) else ()
        if len(siblings) < 2:
            return
        start, end = self._span(node)
        self._add(kind, node, self._line_start(start), self._line_end(end), "", was)

    def _add(
        self,
        kind: str,
        node: cst.CSTNode,
        start: int,
        end: int,
        text: str,
        was: str,
        watched: tuple[int, int] | None = None,
    ) -> None:
        # At module level: no test runs it.
        if not self._bodies:
            return
        first, last = self._lines(node)
        shown = " ".join(was.split())
        shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
        name = ".".join(self._names)
        self.found.append(Site(self.path, kind, start, end, text, first, last, watched or (first, last), name, shown))

    def _is_elif(self, node: cst.If) -> bool:
        return isinstance(self._parent(node), cst.If)

    def _parent(self, node: cst.CSTNode) -> cst.CSTNode:
        return cast(cst.CSTNode, self.get_metadata(ParentNodeProvider, node))

    def _code(self, node: cst.CSTNode) -> str:
        start, end = self._span(node)
        return self.data[start:end].decode()

    def _operand(self, node: cst.BaseExpression) -> str:
        """With its own parentheses, which are no part of its span."""
        return f"{'(' * len(node.lpar)}{self._code(node)}{')' * len(node.rpar)}"

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        span = cast(Any, self.get_metadata(ByteSpanPositionProvider, node))
        return span.start, span.start + span.length

    def _lines(self, node: cst.CSTNode) -> tuple[int, int]:
        place = cast(Any, self.get_metadata(PositionProvider, node))
        return place.start.line, max(place.start.line, place.end.line)

    def _line_start(self, place: int) -> int:
        return self.data.rfind(b"\n", 0, place) + 1

    def _line_end(self, place: int) -> int:
        end = self.data.find(b"\n", place)
        return len(self.data) if end < 0 else end + 1

    def _indent(self, place: int) -> str:
        return self.data[self._line_start(place) : place].decode()


def _other(value: cst.BaseExpression) -> str:
    """Another value of the same type; empty if there is no obvious one."""
    if isinstance(value, cst.Name):
        return {"True": "False", "False": "True"}.get(value.value, "")
    if isinstance(value, cst.Integer):
        return str(int(value.value.replace("_", ""), 0) + 1)
    return ""


def _is_text(node: cst.BinaryOperation) -> bool:
    texts = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)
    return isinstance(node.left, texts) or isinstance(node.right, texts)
