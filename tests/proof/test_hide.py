"""Tests that prove nothing are set aside by name."""

from __future__ import annotations

from steelyard.proof.hide import set_aside
from steelyard.proof.prove import Proof
from steelyard.tree import File

SUITE = "tests/test_a.py"
TEXT = b"def test_good():\n    assert 1\n\n\ndef test_bad():\n    assert 0\n\n\ndef test_new():\n    assert 1\n"
PLACES = {f"{SUITE}::{name}": (SUITE, line) for name, line in (("test_good", 1), ("test_bad", 5), ("test_new", 9))}


def proof(turned: str, broken: str) -> Proof:
    return Proof((f"{SUITE}::{turned}",), (f"{SUITE}::test_good",), (), (f"{SUITE}::{broken}",), PLACES, 1.0)


def test_what_fails_anyway_is_left_out_of_the_hidden_tests() -> None:
    kept = set_aside({SUITE: File(TEXT)}, proof("test_new", "test_bad"), [SUITE])
    assert kept is not None
    tree, left = kept
    assert b"test_bad" not in tree[SUITE].data and b"test_new" in tree[SUITE].data
    assert (left.turned, left.steady) == ((f"{SUITE}::test_new",), (f"{SUITE}::test_good",))


def test_nothing_is_kept_where_what_turned_green_shares_a_function_with_what_fails() -> None:
    parametrized = proof("test_bad", "test_bad")
    assert set_aside({SUITE: File(TEXT)}, parametrized, [SUITE]) is None


def test_nothing_is_kept_where_the_failing_test_is_in_another_file() -> None:
    assert set_aside({SUITE: File(TEXT)}, proof("test_new", "test_bad"), ["tests/test_b.py"]) is None
