"""A small repository with tests, for planting."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import commit, repository
from tests.wheels import PYTEST, repack, use_only

STOCK = '''\
"""A store of things."""


class Stock:
    def __init__(self, limit=10):
        self.limit = limit
        self.things = {}

    def add(self, name, count=1):
        if count < 1:
            raise ValueError("count")
        if self.total() + count > self.limit:
            raise OverflowError(name)
        self.things[name] = self.things.get(name, 0) + count

    def total(self):
        return sum(self.things.values())

    def take(self, name, count=1):
        left = self.things[name] - count
        if left < 0:
            raise KeyError(name)
        self.things[name] = left
        return left

    def first(self, most):
        return sorted(self.things)[:most]


def minutes(seconds):
    return seconds // 60


def grade(points, total):
    if total == 0:
        return None
    share = points / total
    if share >= 0.9:
        return "A"
    if share >= 0.5:
        return "B"
    return "C"
'''
TESTS = """\
import pytest
from stock import Stock, grade, minutes


@pytest.fixture
def stock():
    found = Stock(limit=5)
    found.add("nut", 2)
    found.add("bolt")
    return found


class TestStock:
    def test_adds(self, stock):
        assert stock.things == {"nut": 2, "bolt": 1}

    def test_adds_again(self, stock):
        stock.add("nut")
        assert stock.things["nut"] == 3

    def test_refuses_nothing(self, stock):
        with pytest.raises(ValueError):
            stock.add("nut", 0)

    def test_is_full(self, stock):
        stock.add("nut", 2)
        with pytest.raises(OverflowError):
            stock.add("nut")

    def test_takes(self, stock):
        assert stock.take("nut", 2) == 0
        assert stock.total() == 1

    def test_takes_too_much(self, stock):
        with pytest.raises(KeyError):
            stock.take("bolt", 2)

    def test_first(self, stock):
        assert stock.first(1) == ["bolt"]


@pytest.mark.parametrize("seconds, wanted", [(0, 0), (60, 1), (59, 0), (120, 2)])
def test_minutes(seconds, wanted):
    assert minutes(seconds) == wanted


@pytest.mark.parametrize("points, wanted", [(9, "A"), (10, "A"), (5, "B"), (6, "B"), (4, "C"), (0, "C")])
def test_grade(points, wanted):
    assert grade(points, 10) == wanted


def test_no_grade():
    assert grade(0, 0) is None
"""


def stock(folder: Path) -> Path:
    """A repository of two commits; the second one fixes a bug and adds code that can be planted into."""
    wrong = STOCK.replace("        if left < 0:\n            raise KeyError(name)\n", "")
    old = TESTS.replace("    def test_takes_too_much", "    def skip_takes_too_much")
    repo = repository(folder, {"src/stock.py": wrong, "tests/test_stock.py": old, "CHANGES.md": "Nothing yet\n"})
    commit(
        repo,
        {"src/stock.py": STOCK, "tests/test_stock.py": TESTS, "CHANGES.md": "take() no longer goes below zero\n"},
        "Taking more than there is must fail",
    )
    return repo


def offline(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Only pytest can be installed, from wheels; the cache is empty."""
    wheels = folder / "wheels"
    wheels.mkdir()
    for name in PYTEST:
        repack(wheels, name)
    use_only(wheels, folder / "cache", patch)
