"""Is this edit a problem that its tests prove, and that a reader could miss?

    1. the tests that run the line, at most 40, those that run the fewest lines first: one of them must fail
    2. all tests that run the line, twice more: the proof is what fails in all three runs

Thrown out: no test notices; it hangs; a crash at import; **glaring**: more than half of the tests that run the line
fail. Only tests that pass three times without the edit are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Literal

from steelyard.audit.plant.kinds import KINDS
from steelyard.audit.plant.site import Site, changes_meaning, planted
from steelyard.proof.baseline import Baseline, Revision
from steelyard.proof.prove import RUNS
from steelyard.proof.suite import TestRun, run_tests

State = Literal["kept", "unnoticed", "glaring", "crashes", "hangs", "unsteady", "means the same"]
GLARING = 0.5
"""Share of the covering tests that may fail at most."""
FIRST = 40
"""Tests of the first run."""
_LEAST_CPU_S = 4


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one edit."""

    state: State
    proof: tuple[str, ...] = ()
    """The tests that fail with it, every time."""
    revealing: tuple[str, ...] = ()
    """The tests that failed with it at least once."""
    covering: int = 0
    cpu_s: float = 0.0

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Tried:
        """As it was kept."""
        lists = {name: tuple(data[name]) for name in ("proof", "revealing")}
        return Tried(data["state"], **lists, covering=data["covering"], cpu_s=data["cpu_s"])

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


class Screen:
    """Tries edits of one revision."""

    def __init__(self, found: Revision, base: Baseline, timeout_s: float) -> None:
        self._found, self._base, self._timeout_s = found, base, timeout_s
        counted = Counter(number for lines in base.covered.values() for numbers in lines.values() for number in numbers)
        self._breadth = {base.steady[number]: count for number, count in counted.items()}

    def covering(self, site: Site) -> list[str]:
        """The tests that run the line, those that run the fewest lines first."""
        names = self._base.covering(site.path, *site.watched)
        return sorted(names, key=lambda name: (self._breadth.get(name, 0), name))

    def tried(self, site: Site) -> Tried:
        """Plant it alone, and ask the tests."""
        if not changes_meaning(self._found.tree[site.path].data, site):
            return Tried("means the same")
        names = self.covering(site)
        first = self._run(site, names[:FIRST])
        ruled_out = _ruled_out(first, len(names[:FIRST]))
        if ruled_out is not None:
            return Tried(ruled_out, covering=len(names), cpu_s=first.cpu_s)
        runs = [first, *(self._run(site, names) for _ in range(RUNS - 1))]
        spent = sum(run.cpu_s for run in runs)
        reds = [run.ended("failed") for run in runs]
        proof, revealing = reds[0].intersection(*reds[1:]), reds[0].union(*reds[1:])
        state: State = "kept" if proof else "unsteady"
        if any(_ruled_out(run, len(names)) not in (None, "unnoticed") for run in runs[1:]):
            state = "glaring"
        return Tried(state, tuple(sorted(proof)), tuple(sorted(revealing)), len(names), spent)

    def _run(self, site: Site, names: Sequence[str]) -> TestRun:
        tree, _ = planted(self._found.tree, [site])
        # Twice what all tests take without an edit: what takes longer loops.
        limit = max(_LEAST_CPU_S, round(2 * self._base.cpu_s))
        return run_tests(tree, self._found.packages, tests=names, timeout_s=self._timeout_s, cpu_s=limit)


def _ruled_out(run: TestRun, asked: int) -> State | None:
    if run.problem:
        return "hangs"
    if run.errors:
        return "crashes"
    red = len(run.ended("failed"))
    if not red:
        return "unnoticed"
    # A single test always fails as a whole.
    return "glaring" if asked > 1 and red > GLARING * asked else None


def chosen(
    places: Sequence[Site],
    try_one: Callable[[Site], Tried],
    most: int,
    seed: int,
    tell: Callable[[Site, int], None] = lambda site, kept: None,
) -> tuple[list[tuple[Site, Tried]], Counter[State]]:
    """Try places until enough are kept: next the kind, the severity and the file of which the fewest were kept.

    A function holds one problem at most.
    """
    left: list[Site] = [*places]
    # `min` takes the first of equals, so the shuffle decides between them.
    Random(seed).shuffle(left)
    kept: list[tuple[Site, Tried]] = []
    states: Counter[State] = Counter()
    asked: Counter[str] = Counter()
    while left and len(kept) < most:
        used = Counter[str]()
        for site, _ in kept:
            used.update((site.kind, site.path, KINDS[site.kind].severity))
        site = min(left, key=lambda site: _turn(site, used, asked))
        left.remove(site)
        tell(site, len(kept))
        found = try_one(site)
        asked[site.kind] += 1
        states[found.state] += 1
        if found.state == "kept":
            kept.append((site, found))
            left = [other for other in left if (other.path, other.function) != (site.path, site.function)]
    return kept, states


def _turn(site: Site, used: Counter[str], asked: Counter[str]) -> tuple[int, int, int]:
    """The lowest comes next; a kind that is tried in vain again and again must not hold up the others."""
    return used[site.kind] + asked[site.kind] // 4, used[KINDS[site.kind].severity], used[site.path]
