"""Finds objects of the tested code that equal everything: each comparison is repeated with a value that must differ."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import os
import secrets
import sys
import unittest
from collections.abc import Callable
from typing import Any, cast

from .sources import EQUAL, EQUALITIES, Pinned

_ANY = (os.path.join(os.path.dirname(unittest.__file__), "mock.py"), "_ANY.__eq__")
"""Where the comparison of `unittest.mock.ANY` is defined. Importing it takes longer than most suites."""


class AlwaysEqual(AssertionError):
    """A value equals, or contains, whatever it is compared with."""


class Equality:
    """Compares values, and refuses those whose own class says yes to everything."""

    def __init__(self, pinned: Pinned) -> None:
        # The test's own matchers may be as generous as they like.
        self._trusted = tuple(os.path.join(folder, "") for folder in {sys.prefix, sys.base_prefix, "/usr"})
        self._tests = frozenset(pinned.files)
        self._any = importlib.import_module("unittest.mock").ANY if pinned.mentions_any else None

    def install(self) -> None:
        """Guard the assertions of `unittest` and offer the function that replaces `==`."""
        for name in (*EQUALITIES, "assertAlmostEqual"):
            setattr(unittest.TestCase, name, _guarded(getattr(unittest.TestCase, name), self.refuse))
        contained = _guarded(unittest.TestCase.assertIn, self.refuse_container)
        setattr(unittest.TestCase, "assertIn", contained)  # noqa: B010 - a type checker forbids the assignment
        # As a builtin, so that the changed sources need no import.
        setattr(builtins, EQUAL, self.equal)

    def equal(self, first: Any, second: Any) -> Any:
        """`first == second`."""
        self.refuse(first, second)
        return first == second

    def refuse(self, first: Any, second: Any) -> None:
        """Raise if one of the values equals something that it must not equal."""
        for one, other in _pairs(first, second):
            self.refuse(one, other)
        # Python may ask either side, and either may be the tested code's.
        for subject, other in ((first, second), (second, first)):
            if self._foreign(subject, "__eq__") and _holds(
                lambda a, b: a == b, subject, [_different(other), *_near(other)]
            ):
                raise AlwaysEqual(f"a {type(subject).__name__} equals whatever it is compared with")

    def refuse_container(self, member: Any, container: Any) -> None:
        """Raise if the container contains something that it must not contain."""
        if self._foreign(container, "__contains__") and _holds(lambda a, b: b in a, container, [_different(member)]):
            raise AlwaysEqual(f"a {type(container).__name__} contains whatever is looked for")

    def _foreign(self, value: Any, method: str) -> bool:
        """Whether the tested code decides the comparison."""
        if self._any is not None and value is self._any:
            return False
        function = _defined(cast("type[Any]", type(value)), method)
        if function is None or isinstance(function, type(object.__eq__) | type(str.upper)):
            return function is not None and function.__name__ != method  # such as `__eq__ = int.__ge__`
        code = getattr(function, "__code__", None)
        # Without Python code to look at, assume the worst; `ANY` is allowed only where the tests themselves name it.
        if code is None or (code.co_filename, function.__qualname__) == _ANY:
            return True
        return not (code.co_filename in self._tests or code.co_filename.startswith(self._trusted))


def _defined(kind: type[Any], method: str) -> Any:
    """What a class or its bases define as `method`, past whatever a metaclass says; None if nothing."""
    # Through `type` itself, because a metaclass could lie about `__mro__` and `__dict__`.
    bases = type.__dict__["__mro__"].__get__(kind)
    spaces = (type.__dict__["__dict__"].__get__(base) for base in bases)
    return next((space[method] for space in spaces if method in space), None)


def _guarded(assertion: Callable[..., Any], refuse: Callable[[Any, Any], None]) -> Callable[..., Any]:
    def guarded(self: Any, first: Any, second: Any, *rest: Any, **options: Any) -> Any:
        refuse(first, second)
        return assertion(self, first, second, *rest, **options)

    return guarded


def _pairs(first: Any, second: Any) -> list[tuple[Any, Any]]:
    """The elements that a comparison of two lists, tuples or dictionaries compares."""
    if type(first) is not type(second):
        return []
    if isinstance(first, (list, tuple)):
        one, other = cast("list[Any]", first), cast("list[Any]", second)
        return list(zip(one, other, strict=True)) if len(one) == len(other) else []
    if isinstance(first, dict):
        left, right = cast("dict[Any, Any]", first), cast("dict[Any, Any]", second)
        return [(left[key], right[key]) for key in left.keys() & right.keys()]
    return []


def _near(value: Any) -> list[Any]:
    """Values of the same type that hardly differ from `value`, and the empty one, which texts contain."""
    # Exact types: arithmetic on a subclass would run foreign code.
    if type(value) in (int, float):
        return [value + 1, value - 1]
    if type(value) is str and value:
        return [value[:-1] + chr(ord(value[-1]) ^ 1), ""]
    return [value[:-1] + bytes([value[-1] ^ 1]), b""] if type(value) is bytes and value else []


def _different(value: Any) -> Any:
    """A value of the same type that differs from `value` in a way nobody can guess."""
    token = secrets.token_hex(8)
    if type(value) is str:
        return value + token
    if type(value) in (int, float, bool):
        return value + 1 + secrets.randbelow(1_000_000)
    if type(value) is bytes:
        return value + token.encode()
    if type(value) is list:
        return [*cast("list[Any]", value), token]
    return token


def _holds(question: Callable[[Any, Any], Any], first: Any, others: list[Any]) -> bool:
    """Whether foreign code says yes to one of the others."""
    for other in others:
        with contextlib.suppress(Exception):  # it may raise anything, and an error is not a yes
            if question(first, other):
                return True
    return False
