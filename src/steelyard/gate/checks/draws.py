"""Which tests of a suite must fail in which of its runs. Pure, but for the draw.

Law: code that forges results must know, for every test of every run, whether the test is the original or was changed to
fail. So no run is the normal one: each test that can be changed is drawn for each of R runs, at random, at least once
as it is and at least once changed, and a run holds both kinds. Whoever knows only the number or the time of a run
knows nothing, and guesses right with the chance 1 / (2^R − 2) for one test. R is the smallest number for which all T
tests together leave a chance of at most `CHANCE`, and sometimes one more: 10 runs or 11 for one test, 2 or 3 from ten
tests on. The draw is made outside the sandbox.
"""

from __future__ import annotations

import random
from collections.abc import Collection

CHANCE = 1 / 1_000
"""Largest chance to guess what is original in which run."""


def draws(names: Collection[str], added: Collection[str] = ()) -> list[frozenset[str]]:
    """For each run the tests that must fail. `added` are among them tests that are not the suite's own: with them comes
    a run in which none of its own must fail, at a place that nobody knows."""
    if not names:
        return [frozenset()]
    runs = _runs(len(names)) + random.randrange(2)
    rows = {name: _row(runs) for name in sorted(names)}
    drawn = [frozenset(name for name, row in rows.items() if row[run]) for run in range(runs)]
    if added:
        drawn.insert(random.randrange(runs + 1), frozenset(name for name in sorted(added) if random.randrange(2)))
    return drawn


def _runs(tests: int) -> int:
    """The smallest number of runs that leaves a chance of at most `CHANCE`."""
    return next(runs for runs in range(2, 64) if (2**runs - 2) ** tests * CHANCE >= 1)


def _row(runs: int) -> list[bool]:
    """For each run whether a test is changed: any row but the two that say the same for all runs."""
    number = random.randrange(1, 2**runs - 1)
    return [bool(number >> run & 1) for run in range(runs)]
