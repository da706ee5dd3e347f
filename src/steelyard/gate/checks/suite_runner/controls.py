"""Control tests: one that must pass and one that must fail, under random names in the class of every real test."""

from __future__ import annotations

import secrets
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Controls:
    """The names of the control tests of one process."""

    passing: str
    failing: str

    def add_to(self, owner: Any, *, method: bool) -> None:
        """Define both in a class or module."""
        setattr(owner, self.passing, _method(succeed) if method else succeed)
        setattr(owner, self.failing, _method(fail) if method else fail)


def random_controls() -> Controls:
    return Controls(f"test_{secrets.token_hex(6)}", f"test_{secrets.token_hex(6)}")


def _method(function: Callable[[], None]) -> Callable[[Any], None]:
    def test(self: Any) -> None:
        function()

    return test


def succeed() -> None:
    case = unittest.TestCase()
    case.assertEqual("a", "a")
    case.assertTrue(True)


def fail() -> None:
    """Fails, unless an assertion holds that must not."""
    # If one of them holds, this control passes, and the run is not believed.
    if all(map(_fails, false_assertions(unittest.TestCase()))):
        raise AssertionError("the control test that must fail")


def false_assertions(case: Any) -> list[Callable[[], Any]]:
    """Assertions that must fail: if one holds, the tested code has rewritten it."""
    return [
        lambda: case.assertEqual(1, 2),
        # Fails only as long as our guard (`equality`) is in place.
        lambda: case.assertEqual(_AlwaysEqual(), 2),
        lambda: case.assertNotEqual(1, 1),
        lambda: case.assertTrue(False),
        lambda: case.assertFalse(True),
        lambda: case.assertIs(1, None),
        lambda: case.assertIsNone(1),
        lambda: case.assertIn(1, []),
        lambda: case.assertLess(2, 1),
        lambda: case.assertAlmostEqual(1.0, 2.0),
        lambda: case.assertListEqual([1], [2]),
        lambda: case.assertDictEqual({1: 1}, {1: 2}),
        lambda: case.assertRegex("a", "b"),
        lambda: case.assertRaises(ValueError, str),
        lambda: case.fail(),
    ]


class _AlwaysEqual:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def _fails(claim: Callable[[], Any]) -> bool:
    try:
        claim()
    except AssertionError:
        return True
    return False
