"""Which problems share a document, and the tests that prove each of them there. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from steelyard.audit.plant.screen import Tried
from steelyard.audit.plant.site import Site

MOST_TESTS = 5
"""Failing tests that are named as the proof of one problem."""


@dataclass(frozen=True, slots=True)
class PlantedProblem:
    """A problem that was proved alone."""

    site: Site
    tried: Tried


def documents(kept: Sequence[tuple[Site, Tried]], size: int) -> list[list[PlantedProblem]]:
    """Groups of at most `size`, as few as will do; every problem of a group has a failing test of its own."""
    wanted = -(-len(kept) // size)
    groups: list[list[PlantedProblem]] = [[] for _ in range(wanted)]
    for site, tried in kept:
        one = PlantedProblem(site, tried)
        fitting = [group for group in groups if len(group) < size and _fits([*group, one])]
        if not fitting:
            groups.append(group := [])
            fitting = [group]
        min(fitting, key=len).append(one)
    return [sorted(group, key=lambda one: (one.site.path, one.site.start)) for group in groups if group]


def own_tests(problem: PlantedProblem, others: Sequence[PlantedProblem]) -> tuple[str, ...]:
    """The tests that fail because of this problem and of no other."""
    foreign = {name for other in others if other is not problem for name in other.tried.revealing}
    return tuple(name for name in problem.tried.proof if name not in foreign)[:MOST_TESTS]


def _fits(group: Sequence[PlantedProblem]) -> bool:
    functions = {(one.site.path, one.site.function) for one in group}
    spans = sorted((one.site.path, one.site.start, one.site.end) for one in group)
    apart = all(path != other or end <= start for (path, _, end), (other, start, _) in pairwise(spans))
    return apart and len(functions) == len(group) and all(own_tests(one, group) for one in group)
