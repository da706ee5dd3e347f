"""Tests changed so that they must fail."""

from __future__ import annotations

import re
import textwrap
import unittest
from typing import Any
from unittest import mock

import pytest

from steelyard.gate.checks.mutants import Mutable


def changed(source: str) -> tuple[str, frozenset[str]]:
    made = Mutable({"tests/test_app.py": textwrap.dedent(source).encode()})
    return made.changed(made.names).get("tests/test_app.py", b"").decode(), made.names


@pytest.mark.parametrize(
    "body",
    [
        "assert double(2) == 4",
        "assert (double(2)\n        == 4), 'why'",
        "assert double(2) > 3 or double(1)",
        "assert [double(2), None] == [4,\n        None]",
        "assert 'ä' * double(1) == 'ä' 'ä'",
        "assert double(number) == number + 1",
        "case.assertEqual([double(-1), True, b'x', 0.5], [-2, True, b'x', 0.5])",
        "case.assertDictEqual({'a': double(2)}, {'a': 4})",
        "case.assertListEqual([double(number)], [number + 1])",
        "assert double(2) == 4\n    if number:\n        return\n    assert False",
        "case.assertEqual(double(2), 4)",
        "case.assertIn(double(2), (4, 5))",
        "case.assertGreater(double(5),\n        9, 'why')",
        "with case.assertRaises(TypeError):\n        double(None)",
        "for n in range(3):\n        assert double(n) == 2 * n  # each",
        "if double(1) == 2:\n        assert True",
        "def inner():\n        return 1\n    assert inner()",
        "try:\n        double(None)\n    except TypeError:\n        pass",
        "double(1); double(2);",
        "for n, twice in [(1, 2), (3, 6)]:\n        case.assertEqual(double(n), twice)",
        "for n, two in ((1, 2),):\n        with case.subTest(n=n, two=two):\n            assert two == double(n)",
        "for n in [1, 2]:\n        assert double(n) / 2 == n",
        "for n, twice in [(1, 2), (3, 3 + 3)]:\n        assert double(n) == twice",
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
        "def test_it(double):\n    for n, twice in [(1, 2), (3, 6)]:\n        assert double(n) == twice",
        """
        @pytest.mark.parametrize("n, twice", [(1, 2), pytest.param(3, 6, id="three")])
        def test_it(double, n, twice):
            assert double(n) == twice
        """,
        """
        @pytest.mark.parametrize(("n", "twice"), ([1, 2], [3, 6]))
        def test_it(double, n, twice):
            got = double(n)
            assert got == twice
        """,
        "def test_it(double):\n    pair = (1, 2)\n    assert (1, double(1)) == pair",
        "PAIR = (3, 6)\ndef test_it(double):\n    assert (3, double(3)) == PAIR",
    ],
)
def test_a_table_of_cases_is_changed_itself_so_who_reads_it_gives_himself_away(source: str) -> None:
    text, names = changed(source)
    assert names == {"test_it"} and "not (" not in text
    assert not re.search(r"1, 2\b|3, 6\b", text)


def test_a_test_may_be_deeper_than_pythons_own_recursion() -> None:
    text, names = changed(f"def test_it(double):\n    n = {' + '.join('1' * 1_200)}\n    assert double(2) == 4")
    assert names == {"test_it"} and "== 4" not in text


def test_a_column_that_a_test_uses_twice_is_left_as_it_is() -> None:
    source = "def test_it(same):\n    for n, text in [(1, 'a')]:\n        assert same(text) == text\n"
    text, names = changed(source)
    assert "[(1, 'a')]" in text and names == {"test_it"}


@pytest.mark.parametrize(
    "source",
    [
        "def test_it(same):\n    a = 'a'\n    assert same(a) == a\n",
        "A = 'a'\ndef test_it(same):\n    assert same('a') == A\ndef used():\n    return A\n",
        "def test_it(same):\n    a = 'a'\n    a = same(a)\n    assert same(1) == a\n",
        "A = 'a'\ndef test_it(same, A):\n    assert same('a') == A\n",
    ],
)
def test_a_variable_with_another_use_or_value_is_left_as_it_is(source: str) -> None:
    assert "= 'a'" in changed(source)[0]


def test_a_constant_that_another_file_may_import_is_left_as_it_is() -> None:
    files = {"a.py": b"A = 'a'\ndef test_it(f):\n    assert f() == A\n", "b.py": b"from a import A\n"}
    assert b"A = 'a'" in Mutable(files).changed({"test_it"})["a.py"]


def test_another_value_has_the_form_of_the_first() -> None:
    body = "assert double() == [4, 'Anna', b'x1', 2.5]"
    for _ in range(30):
        text, _ = changed(f"def test_it(double):\n    {body}\n")
        assert text != f"def test_it(double):\n    {body}\n"
        assert re.search(r"\[\d, '[A-Z][a-z]{3}', b'[a-z]\d', \d\.\d\]", text)


def test_a_value_that_a_test_expects_twice_is_another_in_both_places() -> None:
    source = "def test_it(f):\n    assert f(1) == 'red-fox'\n    assert f(2) == 'red-fox'\n    assert f(3)\n"
    text, _ = changed(source)
    first, second = re.findall(r"== '([a-z]+-[a-z]+)'", text)
    assert first == second != "red-fox" and "assert f(3)\n" in text


@pytest.mark.parametrize(
    "body", ["assert double(2) == 4", "assert double(2) == four", "case.assertEqual(4, double(2))"]
)
def test_an_equality_that_is_changed_still_holds_for_what_equals_everything(body: str) -> None:
    text, _ = changed(f"def test_it(case, double, four=4):\n    {body}\n")
    defined: dict[str, Any] = {}
    exec(text, defined)
    defined["test_it"](unittest.TestCase(), lambda n: mock.ANY)


@pytest.mark.parametrize(
    "source",
    [
        "def test_it():\n    assert one() == 1\n    yield\n",
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
    assert Mutable(sources).names == frozenset()
