"""Assigns passages to problems, one to one, for the most points (docs/scoring.md §2.1).

A claim rests on the words it quotes. Claims on one finding whose quotes overlap rest on one passage, and a claim
without a quote rests on the whole finding; so a finding serves several problems only by passages that do not overlap.

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

_FORCE = 1 << 20
"""Added to the edges of a decided problem, so that leaving it unassigned can never be worth more."""

_Graph: TypeAlias = dict[str, dict[int, int]]
"""Problem → passage → worth in half points."""


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
    best = _best_claims(merged, _passages(merged, texts or {}))
    graph: _Graph = {}
    for (problem, passage), claim in best.items():
        # Whole numbers of half points, so that sums are compared exactly.
        graph.setdefault(problem, {})[passage] = round(POINTS[claim.mark] * 2)
    problems = sorted(graph, key=_order)
    favourites = {
        problem: min(edges, key=lambda finding: (-edges[finding], finding)) for problem, edges in graph.items()
    }
    if len(set(favourites.values())) == len(favourites):
        return {problem: best[problem, favourites[problem]] for problem in problems}  # no two problems compete
    for problem in problems:
        graph[problem] = _one_level(graph, problem)
    for problem in problems:
        graph[problem] = _one_passage(graph, problem)
    return {problem: best[problem, next(iter(graph[problem]))] for problem in problems if graph[problem]}


def _span(text: str, quote: str) -> tuple[int, int]:
    """Where a quote is in a text, both folded; the whole text if it is empty or not there."""
    body, needle = folded(text), folded(quote)
    start = body.find(needle) if needle else -1
    return (start, start + len(needle)) if start >= 0 else (0, max(len(body), 1))


def _passages(claims: Sequence[Claim], texts: Mapping[int, str]) -> list[int]:
    """The passage each claim rests on, numbered in the order of the text."""
    spans = [(claim.finding, *_span(texts.get(claim.finding, ""), claim.quote)) for claim in claims]
    numbers: dict[int, int] = {}
    number, finding, reach = 0, 0, 0
    for place in sorted(range(len(spans)), key=lambda place: spans[place]):
        if spans[place][0] != finding or spans[place][1] >= reach:
            number, finding, reach = number + 1, spans[place][0], 0
        reach = max(reach, spans[place][2])
        numbers[place] = number
    return [numbers[place] for place in range(len(spans))]


def _best_claims(claims: Sequence[Claim], passages: Sequence[int]) -> dict[tuple[str, int], Claim]:
    """The highest claim for each pair of problem and passage; of equal claims the earlier one."""
    best: dict[tuple[str, int], Claim] = {}
    for claim, passage in zip(claims, passages, strict=True):
        pair = (claim.problem, passage)
        if pair not in best or POINTS[claim.mark] > POINTS[best[pair].mark]:
            best[pair] = claim
    return best


def _one_level(graph: _Graph, problem: str) -> dict[int, int]:
    """The problem's edges at the highest mark that costs no points elsewhere, forced; empty if only a miss does."""
    target = _worth(graph)
    for level in sorted(set(graph[problem].values()), reverse=True):
        edges = {finding: level + _FORCE for finding, worth in graph[problem].items() if worth == level}
        if _worth({**graph, problem: edges}) == target + _FORCE:
            return edges
    return {}


def _one_passage(graph: _Graph, problem: str) -> dict[int, int]:
    """The first passage that the problem can take without changing any mark."""
    target = _worth(graph)
    for finding in sorted(graph[problem]):
        edge = {finding: graph[problem][finding]}
        if len(graph[problem]) == 1 or _worth({**graph, problem: edge}) == target:
            return edge
    return {}


def _worth(graph: _Graph) -> int:
    """The highest worth of any one-to-one assignment."""
    import numpy as np
    from scipy import optimize  # slow to import, so only if claims compete

    rows = [edges for edges in graph.values() if edges]
    columns = {finding: column for column, finding in enumerate(sorted({finding for row in rows for finding in row}))}
    if not rows:
        return 0
    worth = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for row, edges in enumerate(rows):
        for finding, value in edges.items():
            worth[row, columns[finding]] = value
    solve = cast(Any, optimize).linear_sum_assignment
    return int(worth[solve(worth, maximize=True)].sum())


def _order(problem: str) -> tuple[int, str]:
    digits = "".join(character for character in problem if character.isdigit())
    return (int(digits) if digits else 0, problem)
