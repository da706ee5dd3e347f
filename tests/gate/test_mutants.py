"""Tests changed so that they must fail."""

from __future__ import annotations

import textwrap
import unittest
from typing import Any

import pytest

from steelyard.gate.checks.mutants import mutants


def changed(source: str) -> tuple[str, frozenset[str]]:
    made = mutants({"tests/test_app.py": textwrap.dedent(source).encode()})
    return made.files.get("tests/test_app.py", b"").decode(), made.names


@pytest.mark.parametrize(
    "body",
    [
        "assert double(2) == 4",
        "assert (double(2)\n        == 4), 'why'",
        "assert double(2) > 3 or double(1)",
        "case.assertEqual(double(2), 4)",
        "case.assertIn(double(2), (4, 5))",
        "case.assertGreater(double(5),\n        9, 'why')",
        "with case.assertRaises(TypeError):\n        double(None)",
        "for n in range(3):\n        assert double(n) == 2 * n  # each",
        "if double(1) == 2:\n        assert True",
        "def inner():\n        return 1\n    assert inner()",
        "try:\n        double(None)\n    except TypeError:\n        pass",
        "double(1); double(2);",
    ],
)
def test_a_test_that_passes_fails_once_it_is_changed(body: str) -> None:
    # Twenty times, because one of several changes is drawn.
    for _ in range(20):
        text, names = changed(f"def test_it(case, double):\n    number = 1\n    {body}\n")
        assert names == {"test_it"}
        defined: dict[str, Any] = {}
        exec(text, defined)
        with pytest.raises(AssertionError):
            defined["test_it"](unittest.TestCase(), lambda n: n * 2 + 0)


@pytest.mark.parametrize(
    "source",
    [
        "def test_it():\n    if early:\n        return\n    assert one()\n",
        "def test_it(): one()\n",
        "class A(TestCase):\n    @unittest.expectedFailure\n    def test_it(self):\n        one()\n",
        "pytestmark = pytest.mark.xfail\n\ndef test_it():\n    assert one()\n",
        "def test_it():\n    assert one()\n\nif slow:\n    def test_it():\n        pass\n",
        "def helper():\n    assert one()\n",
        "this is not Python",
    ],
)
def test_what_might_pass_all_the_same_is_not_expected_to_fail(source: str) -> None:
    assert changed(source)[1] == frozenset()


def test_a_name_that_two_files_share_must_have_been_changed_in_both() -> None:
    sources = {"a.py": b"def test_it():\n    assert 1\n", "b.py": b"def test_it():\n    return\n"}
    assert mutants(sources).names == frozenset()
