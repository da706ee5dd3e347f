"""Which tests of a suite must fail in which of its runs, and what they expect then. Pure, but for the draw.

Law: code that forges results must know, for every test of every run, whether the test is the original or was changed to
fail. So no run is the normal one. For each test that can be changed, it is drawn in which of the first M of R runs the
original is seen for the first time; in the runs after it, a coin decides. Each test is at least once changed.

- Whoever knows only the number or the time of a run guesses right with the chance 1 / (M · 2^(R − M)) for one test.
- Whoever can pass on what one run saw to the next knows the original once it is seen twice, but has to recognize it the
  first time: 1 / M.

M is `FIRST`, or R if that is less, and R the smallest number for which all tests together leave the first of them a
chance of at most `CHANCE`; sometimes there is one run more. That is 15 runs or 16 for one test, 10 for two, 2 from ten
tests on. A value that is expected instead of another has its form: `another_text` and `another_number`. The draw is
made outside the sandbox.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from string import ascii_lowercase, ascii_uppercase, digits

CHANCE = 1 / 1_000
"""Largest chance to guess what is original in which run."""
FIRST = 8
"""Among how many runs, at most, the one is drawn that is the first to have the original."""
_SIGNIFICANT = 6
"""Digits of a number that can be changed: a later one might be lost in a float."""


def draws(names: Collection[str], added: Collection[str] = ()) -> list[frozenset[str]]:
    """For each run the tests that must fail. `added` are among them tests that are not the suite's own: with them comes
    a run in which none of its own must fail, at a place that nobody knows."""
    if not names:
        return [frozenset()]
    least = _runs(len(names))
    runs = least + random.randrange(2)
    rows = {name: _row(runs, min(least, FIRST)) for name in sorted(names)}
    drawn = [frozenset(name for name, row in rows.items() if row[run]) for run in range(runs)]
    if added:
        drawn.insert(random.randrange(runs + 1), frozenset(name for name in sorted(added) if random.randrange(2)))
    return drawn


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
    leads = place == places[0] and mantissa[place + 1 : place + 2].isdigit()
    return text[:place] + random.choice(sorted({*digits[leads:]} - {text[place]})) + text[place + 1 :]


def _kind(character: str) -> str:
    return next((kind for kind in (digits, ascii_lowercase, ascii_uppercase) if character in kind), "")
