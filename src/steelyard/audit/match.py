"""Assigns passages to problems, one to one, for the most points (docs/scoring.md §2.1).

A claim rests on the words it quotes, and a claim without a quote on the whole finding. Of claims whose words overlap
only one counts; so a finding serves several problems only by passages that do not overlap.

Ties go to the assignment with the higher mark on the lowest problem id, then on the next id, and so on; then to the
one that uses earlier passages. So neither the order of problems nor that of findings changes a mark.
Findings with the same words count as one finding: the first of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from steelyard.audit.model import POINTS, Claim, Finding
from steelyard.audit.text import essence, folded
from steelyard.judge.text import fold

_FORCE = 1 << 20
"""Added to the edges of a decided problem, so that leaving it unassigned can never be worth more."""

_Graph: TypeAlias = dict[str, dict[int, int]]
"""Problem → passage → worth in half points."""

_Groups: TypeAlias = Sequence[frozenset[int]]
"""Passages that have a place in common: one of each group serves."""


def representatives(findings: Iterable[Finding]) -> dict[int, int]:
    """Each finding mapped to the first one with the same words."""
    first: dict[str, int] = {}
    return {finding.index: first.setdefault(essence(finding.text) or finding.id, finding.index) for finding in findings}


def assignment(
    claims: Sequence[Claim], same: Mapping[int, int] | None = None, texts: Mapping[int, str] | None = None
) -> dict[str, Claim]:
    """The claim each problem is credited for; a problem without one is missed.

    `same` merges repeated findings; `texts` are the findings' texts, in which quotes are looked up.
    """
    merged = [replace(claim, finding=(same or {}).get(claim.finding, claim.finding)) for claim in claims]
    passages, groups = _passages(merged, texts or {})
    best = _best_claims(merged, passages)
    graph: _Graph = {}
    for (problem, passage), claim in best.items():
        # Whole numbers of half points, so that sums are compared exactly.
        graph.setdefault(problem, {})[passage] = round(POINTS[claim.mark] * 2)
    problems = sorted(graph, key=_order)
    favourites = {
        problem: min(edges, key=lambda finding: (-edges[finding], finding)) for problem, edges in graph.items()
    }
    wanted = set(favourites.values())
    if len(wanted) == len(favourites) and all(len(wanted & group) < 2 for group in groups):
        return {problem: best[problem, favourites[problem]] for problem in problems}  # no two problems compete
    for problem in problems:
        graph[problem] = _one_level(graph, groups, problem)
    for problem in problems:
        graph[problem] = _one_passage(graph, groups, problem)
    return {problem: best[problem, next(iter(graph[problem]))] for problem in problems if graph[problem]}


def _span(text: str, quote: str) -> tuple[int, int]:
    """Where a quote is in a text, both folded; the whole text if it is empty or not there."""
    # `fold` too: a judge writes straight quotes where the finding has typographic ones, and its reply is accepted.
    body, needle = folded(fold(text)), folded(fold(quote))
    start = body.find(needle) if needle else -1
    return (start, start + len(needle)) if start >= 0 else (0, max(len(body), 1))


def _passages(claims: Sequence[Claim], texts: Mapping[int, str]) -> tuple[list[int], _Groups]:
    """The passage each claim rests on, numbered in the order of the text, and those that overlap."""
    spans = [(claim.finding, *_span(texts.get(claim.finding, ""), claim.quote)) for claim in claims]
    numbers = {span: number for number, span in enumerate(sorted(set(spans)))}
    of_finding: dict[int, list[tuple[int, int, int]]] = {}
    for span in numbers:
        of_finding.setdefault(span[0], []).append(span)
    # Passages that all overlap hold the place where the last of them begins.
    groups = {
        frozenset(numbers[other] for other in own if other[1] <= start < other[2])
        for own in of_finding.values()
        for _, start, _ in own
    }
    return [numbers[span] for span in spans], [group for group in groups if len(group) > 1]


def _best_claims(claims: Sequence[Claim], passages: Sequence[int]) -> dict[tuple[str, int], Claim]:
    """The highest claim for each pair of problem and passage; of equal claims the earlier one."""
    best: dict[tuple[str, int], Claim] = {}
    for claim, passage in zip(claims, passages, strict=True):
        pair = (claim.problem, passage)
        if pair not in best or POINTS[claim.mark] > POINTS[best[pair].mark]:
            best[pair] = claim
    return best


def _one_level(graph: _Graph, groups: _Groups, problem: str) -> dict[int, int]:
    """The problem's edges at the highest mark that costs no points elsewhere, forced; empty if only a miss does."""
    target = _worth(graph, groups)
    for level in sorted(set(graph[problem].values()), reverse=True):
        edges = {finding: level + _FORCE for finding, worth in graph[problem].items() if worth == level}
        if _worth({**graph, problem: edges}, groups) == target + _FORCE:
            return edges
    return {}


def _one_passage(graph: _Graph, groups: _Groups, problem: str) -> dict[int, int]:
    """The first passage that the problem can take without changing any mark."""
    target = _worth(graph, groups)
    for finding in sorted(graph[problem]):
        edge = {finding: graph[problem][finding]}
        if len(graph[problem]) == 1 or _worth({**graph, problem: edge}, groups) == target:
            return edge
    return {}


def _worth(graph: _Graph, groups: _Groups) -> int:
    """The highest worth of any assignment that uses each passage once, and one passage of each group."""
    import numpy as np
    from scipy import optimize  # slow to import, so only if claims compete

    solver = cast(Any, optimize)
    edges = [(problem, passage, value) for problem, row in graph.items() for passage, value in row.items()]
    if not edges:
        return 0
    problems, passages, values = (np.array(part) for part in zip(*edges, strict=True))
    rows, row = np.unique(problems, return_inverse=True)
    columns, column = np.unique(passages, return_inverse=True)
    known = {passage for _, passage, _ in edges}
    shared = [[passage in group for _, passage, _ in edges] for group in groups if len(group & known) > 1]
    if not shared:
        worth = np.zeros((len(rows), len(columns)), dtype=np.int64)
        worth[row, column] = values
        return int(worth[solver.linear_sum_assignment(worth, maximize=True)].sum())
    # Of the edges of one problem, one passage or one group, one can be used.
    exclusive = [*(problems == name for name in rows), *(passages == number for number in columns)]
    limits = np.array([*exclusive, *shared], dtype=float)
    used = solver.milp(-values, constraints=(limits, 0, 1), integrality=1, bounds=(0, 1), options={"mip_rel_gap": 0}).x
    # Added up in whole numbers: the solver's own sum is not exact.
    return int(values[np.round(used).astype(bool)].sum())


def _order(problem: str) -> tuple[int, str]:
    digits = "".join(character for character in problem if character.isdigit())
    return (int(digits) if digits else 0, problem)
