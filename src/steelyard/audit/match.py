"""Which problem rests on which finding: one to one, as many points as possible (docs/scoring.md §2.1).

Among assignments with equal points the one wins whose marks, read in the order of the problem ids, are highest first;
among those, the one that uses lower findings. So neither the order of problems nor of findings changes a mark.
Findings with the same words are one finding: the first of them stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from steelyard.audit.model import POINTS, Claim, Finding
from steelyard.audit.text import essence

_FORCE = 1 << 20
"""Added to the worth of a decided problem's edges, so that leaving it out can never be better."""

_Graph: TypeAlias = dict[str, dict[int, int]]
"""Problem → finding → worth in half points."""


def representatives(findings: Iterable[Finding]) -> dict[int, int]:
    """For each finding the first one that says the same."""
    first: dict[str, int] = {}
    return {each.index: first.setdefault(essence(each.text) or each.id, each.index) for each in findings}


def assignment(claims: Sequence[Claim], same: Mapping[int, int] | None = None) -> dict[str, Claim]:
    """The claim that each problem rests on; problems without one are missed. `same` merges repeated findings."""
    best = _best_claims(claims, same or {})
    graph: _Graph = {}
    for (problem, finding), claim in best.items():
        graph.setdefault(problem, {})[finding] = round(POINTS[claim.mark] * 2)
    problems = sorted(graph, key=_order)
    favourites = {problem: min(edges, key=lambda each: (-edges[each], each)) for problem, edges in graph.items()}
    if len(set(favourites.values())) == len(favourites):
        return {problem: best[problem, favourites[problem]] for problem in problems}  # nobody is in anybody's way
    for problem in problems:
        graph[problem] = _one_level(graph, problem)
    for problem in problems:
        graph[problem] = _one_finding(graph, problem)
    return {problem: best[problem, next(iter(graph[problem]))] for problem in problems if graph[problem]}


def _best_claims(claims: Sequence[Claim], same: Mapping[int, int]) -> dict[tuple[str, int], Claim]:
    """The highest claim of every pair of problem and finding; the earlier one when two are equal."""
    found: dict[tuple[str, int], Claim] = {}
    for claim in claims:
        merged = replace(claim, finding=same.get(claim.finding, claim.finding))
        pair = (merged.problem, merged.finding)
        if pair not in found or POINTS[merged.mark] > POINTS[found[pair].mark]:
            found[pair] = merged
    return found


def _one_level(graph: _Graph, problem: str) -> dict[int, int]:
    """The problem's edges of the highest level that costs no point elsewhere, marked as decided; none is a level."""
    target = _worth(graph)
    for level in sorted(set(graph[problem].values()), reverse=True):
        edges = {finding: level + _FORCE for finding, worth in graph[problem].items() if worth == level}
        if _worth({**graph, problem: edges}) == target + _FORCE:
            return edges
    return {}


def _one_finding(graph: _Graph, problem: str) -> dict[int, int]:
    """The lowest finding that the problem can rest on without changing any mark."""
    target = _worth(graph)
    for finding in sorted(graph[problem]):
        edge = {finding: graph[problem][finding]}
        if len(graph[problem]) == 1 or _worth({**graph, problem: edge}) == target:
            return edge
    return {}


def _worth(graph: _Graph) -> int:
    """The highest worth of any one-to-one assignment."""
    import numpy as np
    from scipy import optimize  # pyright: ignore[reportMissingTypeStubs]  # half a second: only when claims compete

    rows = [edges for edges in graph.values() if edges]
    columns = {finding: place for place, finding in enumerate(sorted({each for row in rows for each in row}))}
    if not rows:
        return 0
    worth = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for place, row in enumerate(rows):
        for finding, value in row.items():
            worth[place, columns[finding]] = value
    solve = cast(Any, optimize).linear_sum_assignment
    return int(worth[solve(worth, maximize=True)].sum())


def _order(problem: str) -> tuple[int, str]:
    digits = "".join(mark for mark in problem if mark.isdigit())
    return (int(digits) if digits else 0, problem)
