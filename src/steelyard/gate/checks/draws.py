"""Which tests of a suite must fail in which of its runs, and what they expect then. Pure, but for the draw.

Code that forges results must know, for every test of every run, whether the test is the original or was changed to
fail. So it is drawn, outside the sandbox, and each test is at least once changed and at least once not.

Few tests. For each test, it is drawn in which of the first M of R runs the original is seen for the first time; in the
runs after it, a coin decides.

- Whoever knows only the number or the time of a run guesses right with the chance 1 / (M · 2^(R − M)) for one test.
- Whoever can pass on what one run saw to the next knows the original once it is seen twice, but has to recognize it the
  first time: 1 / M.

M is `FIRST`, or R if that is less, and R the smallest number for which all tests together leave the first of them a
chance of at most `CHANCE`; sometimes there is one run more. That is 15 runs or 16 for one test, 10 for two and 9 for
three.

More tests, from where R is less than `FIRST`. Code that reads a whole file of tests could take for right what most of
its values have in common. So every run but the last leaves one of the N tests as it is, or none, each with the chance
1 / (N + 1): among values that are all wrong but one, nothing is usual. In the last run, which may be known, all are as
they are. There are S runs before it, the smallest number with (N + 1)^S − N ways to draw them (a test that none of them
changes is not drawn) of at least 1 / `CHANCE`. That is 6 runs in all for four tests, 4 for ten, 3 from 32 on. Whoever
passes on what it saw has S! of these ways.

A value that is expected instead of another has its form: `another_text` and `another_number`.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from string import ascii_lowercase, ascii_uppercase, digits

CHANCE = 1 / 1_000
"""Largest chance to guess what is original in which run."""
FIRST = 8
"""Among how many runs, at most, the one is drawn that is the first to have the original."""
_SIGNIFICANT = 6
"""Digits of a number that can be changed: a later one might be lost in a float."""


def draws(names: Collection[str], added: Collection[str] = ()) -> list[frozenset[str]]:
    """For each run the tests that must fail. `added` are among them tests that are not the suite's own: with them comes
    a run in which none of its own must fail."""
    if not names:
        return [frozenset()]
    own = sorted({*names} - {*added})
    if own and _runs(len(names)) < FIRST:
        return [frozenset(each) | _some(added) for each in _one_left(own)]
    drawn = _each_by_itself(names)
    if added:
        # Only a run in which none of the suite's own tests must fail shows the real number of tests and the exit code.
        drawn.insert(random.randrange(len(drawn) + 1), _some(added))
    return drawn


def _some(names: Collection[str]) -> frozenset[str]:
    return frozenset(name for name in sorted(names) if random.randrange(2))


def _one_left(names: Sequence[str]) -> Iterator[set[str]]:
    """The runs of a suite of more tests: all of them but at most one, and in the end none."""
    runs = next(runs for runs in count(2) if ((len(names) + 1) ** runs - len(names)) * CHANCE >= 1)
    left = [random.choice(["", *names]) for _ in range(runs)]
    while left[0] and len({*left}) == 1:  # a test that would never be changed
        left = [random.choice(["", *names]) for _ in range(runs)]
    yield from ({*names} - {each} for each in left)
    yield set()


def _each_by_itself(names: Collection[str]) -> list[frozenset[str]]:
    """The runs of a suite of few tests."""
    least = _runs(len(names))
    runs = least + random.randrange(2)
    # Sorted: the order of a set changes from process to process, and with it what a seeded draw gives.
    rows = {name: _row(runs, min(least, FIRST)) for name in sorted(names)}
    return [frozenset(name for name, row in rows.items() if row[run]) for run in range(runs)]


def _runs(tests: int) -> int:
    """The smallest number of runs that leaves a chance of at most `CHANCE`."""
    ways = ((runs, min(runs, FIRST) * 2 ** max(runs - FIRST, 0)) for runs in range(2, 64))
    return next(runs for runs, each in ways if each**tests * CHANCE >= 1)


def _row(runs: int, first: int) -> list[bool]:
    """For each run whether a test is changed."""
    before = random.randrange(first)
    after = runs - before - 1
    # All of them original is left out where nothing was changed before.
    coins = random.randrange(0 if before else 1, 2**after)
    return [True] * before + [False] + [bool(coins >> run & 1) for run in range(after)]


def another_text(text: str) -> str:
    """A text with another letter or digit at one place: one of the same kind, and if possible one of the text's own."""
    places = [place for place, each in enumerate(text) if _kind(each)]
    if not places:
        return text + random.choice(text or ascii_lowercase)
    place = random.choice(places)
    kind = _kind(text[place])
    others = {*kind} - {text[place]}
    return text[:place] + random.choice(sorted(others & {*text} or others)) + text[place + 1 :]


def another_number(text: str) -> str:
    """A decimal number with as many digits, of which one differs that is not 0; empty if it has no digits."""
    mantissa = text.partition("e")[0]
    places = [place for place, each in enumerate(mantissa) if each.isdigit()]
    telling = [place for place in places if mantissa[place] != "0"][:_SIGNIFICANT] or places[:1]
    if not telling:
        return ""
    place = random.choice(telling)
    # A number of several digits cannot begin with 0.
    leads = place == places[0] and mantissa[place + 1 : place + 2].isdigit()
    return text[:place] + random.choice(sorted({*digits[leads:]} - {text[place]})) + text[place + 1 :]


def _kind(character: str) -> str:
    return next((kind for kind in (digits, ascii_lowercase, ascii_uppercase) if character in kind), "")
