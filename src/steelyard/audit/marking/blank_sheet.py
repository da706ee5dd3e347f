"""The empty sheet: everything a person needs to mark runs, in the order in which it goes fastest.

Per run the problems come with the clearest candidates first and those without a candidate last; the likely finding is
filled in, so that one sign per problem remains to be typed. Findings that resemble no problem come first in the list
of the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from steelyard.audit.marking.lexical import PARTIAL, candidates
from steelyard.audit.marking.sheet import OPEN, SHEET_VERSION, text_hash
from steelyard.audit.model import Finding, Key, Output, Problem
from steelyard.text import short

LIKELY = 3
"""Candidates shown per problem."""


def blank_sheet(key: Key, outputs: Sequence[Output]) -> str:
    """A sheet with every mark open."""
    return "\n".join(_lines(key, outputs)) + "\n"


def _lines(key: Key, outputs: Sequence[Output]) -> Iterator[str]:
    yield "# Replace every ? by ○ (criteria fully met), △ (related, core not captured) or × (nothing relevant)."
    yield "# A ○ or △ rests on one finding; correct the number where it is not the right one. × needs none."
    yield "# Findings: bonus (valid, in scope, not in the key), penalty (out of scope or wrong), neither."
    yield f"schema_version: {json.dumps(SHEET_VERSION)}"
    yield 'marked_by: ""'
    yield "runs:"
    for output in outputs:
        yield from _run(key, output)


def _run(key: Key, output: Output) -> Iterator[str]:
    close = {each.index: candidates(key, each) for each in output.findings}
    yield f"  - run: {json.dumps(output.name, ensure_ascii=False)}"
    yield f"    text: {json.dumps(text_hash(output.text))}"
    yield "    problems:"
    likely = {problem.id: _likely(problem, output, close) for problem in key.problems}
    for problem in sorted(key.problems, key=lambda each: (-_best(likely[each.id]), each.id)):
        yield from _problem(problem, likely[problem.id])
    yield "    findings:" if output.findings else "    findings: {}"
    for finding in sorted(output.findings, key=lambda each: (_best_of(close[each.index]), each.index)):
        yield f"      # line {finding.line}: {_comment(finding.text, 300)}"
        yield f'      {finding.id}: {{verdict: neither, reason: ""}}'


def _likely(problem: Problem, output: Output, close: dict[int, list[tuple[str, float]]]) -> list[tuple[float, Finding]]:
    found = [(dict(close[each.index])[problem.id], each) for each in output.findings]
    near = [pair for pair in found if pair[0] >= PARTIAL / 2]
    return sorted(near, key=lambda pair: (-pair[0], pair[1].index))[:LIKELY]


def _problem(problem: Problem, likely: Sequence[tuple[float, Finding]]) -> Iterator[str]:
    yield f"      # {problem.id} {problem.severity}: {_comment(problem.title)}"
    yield f"      #   ○ {_comment(problem.criteria.detected, 300)}"
    yield f"      #   △ {_comment(problem.criteria.partial, 300)}"
    for _, finding in likely:
        yield f"      #   {finding.id}? {_comment(finding.title)}"
    named = f", finding: {likely[0][1].id}" if likely else ""
    yield f'      {problem.id}: {{mark: "{OPEN}"{named}}}'


def _best(likely: Sequence[tuple[float, Finding]]) -> float:
    return round(likely[0][0], 6) if likely else 0.0


def _best_of(close: Sequence[tuple[str, float]]) -> float:
    return round(close[0][1], 6) if close else 0.0


def _comment(text: str, limit: int = 120) -> str:
    """Text that cannot leave its comment line."""
    return short(text, limit)
