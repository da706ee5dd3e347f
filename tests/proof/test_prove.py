"""Red before, green after, every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import cycle

import pytest

from steelyard.proof.prove import prove
from steelyard.proof.suite import Outcome, TestRun

P, F, S = "passed", "failed", "skipped"


def side(*runs: Mapping[str, Outcome] | TestRun) -> Callable[[], TestRun]:
    """Gives the runs one after the other, and then again."""
    each = cycle(run if isinstance(run, TestRun) else TestRun(run, {}, 1.0) for run in runs)
    return lambda: next(each)


def test_turned_steady_flaky_and_broken_are_told_apart() -> None:
    before = side(
        {"new": F, "old": P, "wild": F, "bad": F, "skip": S}, {"new": F, "old": P, "wild": P, "bad": F, "skip": S}
    )
    after = side({"new": P, "added": P, "old": P, "wild": P, "bad": F, "skip": S})
    found = prove(before, after)
    assert found.turned == ("added", "new")
    assert found.steady == ("old",)
    assert found.flaky == ("wild",)
    assert found.broken == ("bad",)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ({"t": P}, {"t": P}, "its tests pass without it"),
        ({"t": F}, {"t": F}, "no test passes after it, without a network"),
        ({}, {}, "it has no tests"),
        ({"t": F}, TestRun({}, {}, 1.0, "did not end within 5 s"), "its tests do not run: did not end within 5 s"),
        ({"t": F}, TestRun({}, {"t.py": "ImportError: x"}, 1.0), "its tests cannot be collected: ImportError: x"),
    ],
)
def test_what_proves_nothing_says_why(
    before: Mapping[str, Outcome], after: Mapping[str, Outcome] | TestRun, why: str
) -> None:
    assert prove(side(before), side(after)).problem == why


def test_a_test_that_turns_green_only_sometimes_is_flaky() -> None:
    found = prove(side({"t": F}), side({"t": P}, {"t": F}))
    assert (found.turned, found.flaky, found.problem) == ((), ("t",), "its tests are flaky")
