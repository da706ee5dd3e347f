"""Tests changed so that they must fail. Pure: text in, text out.

A test that passes fails once the equalities that it always reaches expect other values, equal ones the same; or,
if none of them has a value that is written out, once another assertion that it always reaches is turned around. Whoever
reports it as passed all the same does not report what happens. The change is made outside the sandbox and nothing in
there is told of it, so code that forges results, returns objects that equal whatever is expected, or reads the expected
value in the test gives itself away.

A test that may `return` before is left as it is, and so are all tests if some are expected to fail: the change might
not show.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import takewhile
from math import isfinite
from string import ascii_lowercase
from typing import NamedTuple

from steelyard.gate.checks.case_tables import Columns, constants, expected_values
from steelyard.gate.checks.draws import another_number, another_text
from steelyard.gate.checks.suite_runner.sources import EQUALITIES

_OPPOSITES = {
    "assertEqual": "assertNotEqual",
    "assertNotEqual": "assertEqual",
    "assertTrue": "assertFalse",
    "assertFalse": "assertTrue",
    "assertIs": "assertIsNot",
    "assertIsNot": "assertIs",
    "assertIsNone": "assertIsNotNone",
    "assertIsNotNone": "assertIsNone",
    "assertIn": "assertNotIn",
    "assertNotIn": "assertIn",
    "assertLess": "assertGreaterEqual",
    "assertGreaterEqual": "assertLess",
    "assertGreater": "assertLessEqual",
    "assertLessEqual": "assertGreater",
    "assertAlmostEqual": "assertNotAlmostEqual",
    "assertIsInstance": "assertNotIsInstance",
    "assertRegex": "assertNotRegex",
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NESTED = (*_FUNCTIONS, ast.Lambda, ast.ClassDef)
_LONGEST = 10_000
"""Bits of a number that can be changed."""
_EXPECTED_FAILURE = (b"expectedFailure", b"xfail")

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Edit(NamedTuple):
    begin: int
    end: int
    text: bytes


_Drawn = dict[str, tuple[int, object]]
"""What was drawn in one test: a literal → which of its constants changes, and to what."""


class Mutable:
    """The files of a suite whose tests can be changed so that they must fail."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        unsure = any(word in data for data in files.values() for word in _EXPECTED_FAILURE)
        every = b"\n".join(files.values())
        self._sources = {} if unsure else {path: _Source(data, every) for path, data in files.items()}
        turned = {name for source in self._sources.values() for name in source.turned}
        others = {name for source in self._sources.values() for name in source.others}
        self.names = frozenset(turned - others)
        """The tests that can be changed, and whose name no other test has."""

    def changed(self, names: Set[str]) -> dict[str, bytes]:
        """The files in which these tests must fail; how each is changed is drawn anew."""
        files = {path: source.changed(names) for path, source in self._sources.items()}
        return {path: data for path, data in files.items() if data is not None}


class _Source:
    """One file of tests and its mutants."""

    def __init__(self, data: bytes, suite: bytes) -> None:
        self._data = data
        self._starts = [0]
        for line in data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        tree = _parsed(data)
        self._constants = _of_one_file(constants(tree), data, suite)
        self._tests = {test: self._edits(test) for test in _tests(tree.body)}
        """A test → edits that make it fail, or none."""
        every = [edit for edits in self._tests.values() for edit in edits]
        # If a change broke the syntax, the suite would fail whatever the code under test does.
        able = {test for test, edits in self._tests.items() if edits and _parsed(self._edited(every)).body}
        self.turned = {test.name for test in able}
        """Names of tests that can be changed."""
        functions = {node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)}
        self.others = {function.name for function in functions - able}
        """Names of functions that cannot."""

    def changed(self, names: Set[str]) -> bytes | None:
        """The file with these tests changed; None if none of them is in it."""
        chosen = [test for test in self._tests if test.name in names]
        fresh = self._edited([edit for test in chosen for edit in self._edits(test)])
        # Edits that were tried are the second choice: they are the same in every run.
        tried = self._edited([edit for test in chosen for edit in self._tests[test]])
        return None if not chosen else fresh if _parsed(fresh).body else tried

    def _edited(self, edits: Sequence[_Edit]) -> bytes:
        data = self._data
        for begin, end, text in sorted(edits, reverse=True):
            data = data[:begin] + text + data[end:]
        return data

    def _edits(self, test: _Function) -> list[_Edit]:
        """What makes a test fail; nothing if it may leave before, or is a generator, which nobody starts."""
        if any(_contains(statement, ast.Yield, ast.YieldFrom) for statement in test.body):
            return []
        reached = list(takewhile(lambda statement: not _contains(statement, ast.Return), test.body))
        drawn: _Drawn = {}
        values = [self._tabled(test, each, drawn) or self._unequal(each, drawn) for each in reached]
        if any(values):
            # All of them: whoever finds the same value in two places of a test learns nothing from the second.
            return [edit for edits in values for edit in edits]
        # Boxed rather than negated: an object that equals everything passes the boxed equality and gives itself away,
        # but fails the negated one as an honest value does.
        forms = [edits for each in reached if (edits := self._boxed(each) or self._turned(each))]
        if forms:
            return random.choice(forms)
        return self._failure(test.body) if reached == test.body else []

    def _failure(self, body: Sequence[ast.stmt]) -> list[_Edit]:
        """A failure at the end of a test without an assertion that it always reaches."""
        begin, end = self._begin(body[0]), self._end(body[-1])
        # A body on the line of its `def` has no indentation that could be repeated.
        indent = self._data[begin - body[0].col_offset : begin]
        return [] if indent.strip() else [_Edit(end, end, b"\n" + indent + b"raise AssertionError")]

    def _unequal(self, statement: ast.stmt, drawn: _Drawn) -> list[_Edit]:
        """The edits that let an equality expect another literal; none if it has none, or two."""
        literals = [side for side in _compared(statement) if _is_literal(side)]
        return self._another_value(literals[0], drawn) if len(literals) == 1 else []

    def _boxed(self, statement: ast.stmt) -> list[_Edit]:
        """The edits that let an equality expect a tuple with its value; none if it is not clear what it expects."""
        sides = _compared(statement)
        # The side without a call is taken for the expected one.
        plain = [side for side in sides if not any(isinstance(node, ast.Call) for node in ast.walk(side))]
        if len(plain) != 1 or any(map(_is_literal, sides)):
            return []
        begin, end = self._begin(plain[0]), self._end(plain[0])
        return [_Edit(begin, begin, b"(("), _Edit(end, end, f"), {_token()!r})".encode())]

    def _tabled(self, test: _Function, statement: ast.stmt, drawn: _Drawn) -> list[_Edit]:
        """The edits that let every row of a table of cases expect another value; none if one cannot."""
        values = expected_values(test, statement, _compared, self._constants)
        edits = [self._another_value(value, drawn) for value in values if _is_literal(value)]
        return [edit for each in edits for edit in each] if len(edits) == len(values) and all(edits) else []

    def _another_value(self, literal: ast.expr, drawn: _Drawn) -> list[_Edit]:
        """The edit that changes a literal; none if it has nothing that can be changed."""
        nodes = [node for node in ast.walk(literal) if isinstance(node, ast.Constant)]
        changes = [(place, other) for place, node in enumerate(nodes) if (other := _another(node.value)) is not None]
        if not changes:
            return []
        place, other = drawn.setdefault(ast.dump(literal), random.choice(changes))
        return [_Edit(self._begin(nodes[place]), self._end(nodes[place]), ascii(other).encode())]

    def _turned(self, statement: ast.stmt) -> list[_Edit]:
        """The edits that turn an assertion around; none if the statement is not one."""
        if isinstance(statement, ast.Assert):
            begin, end = self._begin(statement.test), self._end(statement.test)
            return [_Edit(begin, begin, b"not ("), _Edit(end, end, b")")]
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _OPPOSITES:
            end = self._end(call.func)
            return [_Edit(end - len(call.func.attr), end, _OPPOSITES[call.func.attr].encode())]
        return []

    def _begin(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)


def _of_one_file(columns: Columns, data: bytes, suite: bytes) -> Columns:
    """The constants of a file whose names no other file of the suite has: another might import them."""
    return {name: each for name, each in columns.items() if suite.count(name.encode()) == data.count(name.encode())}


def _compared(statement: ast.stmt) -> list[ast.expr]:
    """The two sides of an equality that is asserted; nothing if the statement is anything else."""
    test = statement.test if isinstance(statement, ast.Assert) else None
    if isinstance(test, ast.Compare):
        return [test.left, *test.comparators] if len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq) else []
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in EQUALITIES:
        # What follows is a message or the like.
        sides = call.args[:2]
        return sides if len(sides) == 2 and not any(isinstance(side, ast.Starred) for side in sides) else []
    return []


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    # All that `ast.literal_eval` may raise, by its documentation.
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _another(value: object) -> object:
    """A constant that differs from this one; None if there is none for its type."""
    match value:
        # Before int, because a bool is one.
        case bool():
            return not value
        case int() | float():
            other = another_number(repr(value)) if _is_short(value) else ""
            return type(value)(other) if other else None
        case str():
            return another_text(value)
        case bytes():
            # latin-1 gives each byte one character, and takes it back.
            return another_text(value.decode("latin-1")).encode("latin-1")
        case None:
            return random.choice((0, False, ""))
        case _:
            return None


def _is_short(value: float) -> bool:
    """Whether a number is finite, and Python writes it in digits: of too many it refuses to."""
    return value.bit_length() < _LONGEST if isinstance(value, int) else isfinite(value)


def _token() -> str:
    return "".join(random.choices(ascii_lowercase, k=3))


def _parsed(data: bytes) -> ast.Module:
    """The syntax tree; empty if it is not Python, or is nested too deeply for it."""
    try:
        return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _tests(body: Sequence[ast.stmt], *, outermost: bool = True) -> Iterator[_Function]:
    """The tests of a module and of its classes."""
    for node in body:
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test"):
            yield node
        elif isinstance(node, ast.ClassDef) and outermost:
            yield from _tests(node.body, outermost=False)


def _contains(statement: ast.stmt, *kinds: type[ast.AST]) -> bool:
    """Whether a statement has such a node, but for the functions defined in it."""
    return any(isinstance(node, kinds) for node in _own(statement))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those below it, without the functions defined there."""
    left = [node]
    while left:
        node = left.pop()
        if not isinstance(node, _NESTED):
            yield node
            left += ast.iter_child_nodes(node)
