"""Which tests are red before a change and green after it, every time.

turned    not passed in every run before, passed in every run after
steady    passed in every run before and after
flaky     with several outcomes in the runs of one side: set aside, by name
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from steelyard.proof.suite import TestRun

RUNS = 3
"""Runs of each side."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the runs of both sides show."""

    turned: tuple[str, ...]
    steady: tuple[str, ...]
    flaky: tuple[str, ...]
    broken: tuple[str, ...]
    """Failed after the change, every time."""
    places: Mapping[str, tuple[str, int]]
    """Test → file and first line of its function, after the change."""
    seconds: float
    """Of one run after the change, at the median."""
    problem: str = ""
    """Why nothing is proved; empty if at least one test turned."""
    ran: bool = True
    """Whether the tests ran after the change."""


def prove(before: Callable[[], TestRun], after: Callable[[], TestRun], runs: int = RUNS) -> Proof:
    """Run both sides so often; the first run of each already ends it if nothing turns green."""
    greens, reds = [after()], [before()]
    if (found := _proof(reds, greens)).problem:
        return found
    for _ in range(runs - 1):
        greens.append(after())
        reds.append(before())
    return _proof(reds, greens)


def _proof(before: Sequence[TestRun], after: Sequence[TestRun]) -> Proof:
    seconds = sorted(run.seconds for run in after)[len(after) // 2]
    if problem := next((run.problem for run in after if run.problem), ""):
        return Proof((), (), (), (), {}, seconds, f"its tests do not run: {problem}", ran=False)
    if error := next((error for run in after for error in run.errors.values()), ""):
        return Proof((), (), (), (), {}, seconds, f"its tests cannot be collected: {error}", ran=False)
    names = sorted({name for run in after for name in run.outcomes})
    ends = {name: {run.outcomes.get(name) for run in after} for name in names}
    # None: before the change the test may not exist yet, which counts as red.
    starts = {name: {run.outcomes.get(name) for run in before} for name in names}
    flaky = tuple(name for name in names if len(ends[name]) > 1 or len(starts[name]) > 1)
    green = [name for name in names if ends[name] == {"passed"} and name not in flaky]
    turned = tuple(name for name in green if "passed" not in starts[name])
    steady = tuple(name for name in green if starts[name] == {"passed"})
    broken = tuple(name for name in names if ends[name] == {"failed"})
    places = after[0].places
    return Proof(turned, steady, flaky, broken, places, seconds, "" if turned else _why_not(names, green, flaky))


def _why_not(names: Sequence[str], green: Sequence[str], flaky: Sequence[str]) -> str:
    if not names:
        return "it has no tests"
    if not green:
        return "its tests are flaky" if flaky else "no test passes after it, without a network"
    return "its tests pass without it"
