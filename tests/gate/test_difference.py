"""What differs between two trees, as people and judges read it."""

import pytest

from steelyard.gate.checks import difference
from steelyard.gate.checks.difference import unified
from steelyard.tree import File, Tree

BEFORE: Tree = {"a.py": File(b"x = 1\n"), "b": File(link="a.py"), "c.bin": File(b"\xff"), "d": File(b"same\n")}


def test_each_change_is_shown_in_its_own_way() -> None:
    after = {**BEFORE, "a.py": File(b"x = 2\n"), "b": File(link="d"), "c.bin": File(b"\xfe"),
             "d": File(b"same\n", executable=True), "é.py": File(b"new\n")}  # fmt: skip
    lines = unified(BEFORE, after).split("\n")
    assert {"-x = 1", "+x = 2", "-link to a.py", "+link to d", "changed: c.bin (binary)", "changed: d",
            "+++ b/é.py", "+new"} <= {*lines}  # fmt: skip
    assert unified(BEFORE, BEFORE) == ""


def test_a_long_diff_is_cut() -> None:
    many: Tree = {f"{number}.txt": File(b"word\n" * 10_000) for number in range(9)}
    text = unified({}, many)
    assert text.endswith("[cut: the diff is longer]") and text.count("[cut]") == 2, "20,000 characters of each of three"


def test_lines_that_take_too_long_to_compare_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference, "CPU_S", 1)
    # 200 kB; compared line by line they would take most of an hour.
    old, new = ("\n".join(f"line {sign * number % 120}" for number in range(40_000)).encode() for sign in (1, -1))
    before: Tree = {"a": File(b"1\n"), "b": File(old), "c": File(b"3\n")}
    text = unified(before, {"a": File(b"2\n"), "b": File(new), "c": File(b"4\n")})
    assert "+2" in text and "changed: b (too much to compare)" in text
    assert text.endswith("+4"), "one file hides nothing that comes after it"
