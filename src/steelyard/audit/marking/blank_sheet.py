"""The blank sheet: everything a person needs to mark runs, ordered for speed.

In each run the problems that the lexical marker is least sure of come first, each with its proposal and the passage it
rests on; the likely finding is filled in, so that only one sign per problem has to be typed. In the list of findings,
those least like any problem come first: they are the likely bonuses and penalties. A blind sheet has none of that: key
and findings in their own order, no proposals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from steelyard.audit.marking.lexical import Proposal, candidates, lexical_marks, proposals
from steelyard.audit.marking.sheet import OPEN, SHEET_VERSION, text_hash
from steelyard.audit.model import SYMBOLS, Finding, Key, Output, Problem
from steelyard.report.numbers import percent
from steelyard.text import short
from steelyard.yamledit import flow_key

LIKELY = 3
"""Candidates shown per problem."""
SCOPE_LINES = 60
"""Lines of the perspective that are shown."""
UNLIKELY = 0.25
"""Probability of addressing a problem below which a finding is not shown as a candidate."""


def blank_sheets(runs: Sequence[tuple[Key, Output]], perspective: str = "", *, blind: bool = False) -> str:
    """A sheet for runs of several documents, each with its key."""
    lines = [*_head(perspective)]
    for key, output in runs:
        lines += [f"  {line}" for line in blank_run(key, output, perspective, blind=blind)]
    return "\n".join(lines) + "\n"


def _head(perspective: str) -> Iterator[str]:
    yield "# Replace every ? with ○ (criteria fully met), △ (related, core not captured) or × (nothing relevant),"
    yield "# or with the words detected, partial, missed."
    yield "# A ○ or △ is given for one finding; correct its number if it is the wrong one. × needs none."
    yield '# `quote: "words of the run"` names a passage: instead of a finding, or the part of it that counts.'
    yield "# Findings: bonus (valid, in scope, not in the key), penalty (out of scope or wrong), neither."
    if perspective.strip():
        yield "#"
        yield "# What is in scope:"
        lines = [line for line in perspective.strip().split("\n") if line.strip()]
        yield from (f"#   {_comment(line, 300)}" for line in lines[:SCOPE_LINES])
        if len(lines) > SCOPE_LINES:
            yield f"#   … ({len(lines) - SCOPE_LINES} more lines)"
    yield f"schema_version: {json.dumps(SHEET_VERSION)}"
    yield 'marked_by: ""'
    yield "runs:"


def blank_run(key: Key, output: Output, perspective: str = "", *, blind: bool = False) -> Iterator[str]:
    """The entry of one run as lines of YAML, its dash in the first column."""
    # A text in JSON is one in YAML too, whatever the name holds.
    yield f"- run: {json.dumps(output.name, ensure_ascii=False)}"
    yield f"  text: {json.dumps(text_hash(output.text))}"
    yield "  problems:"
    yield from _blind(key, output) if blind else _proposed(key, output, perspective)


def _blind(key: Key, output: Output) -> Iterator[str]:
    for problem in key.problems:
        yield from _criteria(problem)
        yield f'    {flow_key(problem.id)}: {{mark: "{OPEN}"}}'
    yield "  findings:" if output.findings else "  findings: {}"
    for finding in output.findings:
        yield from _unruled(finding)


def _proposed(key: Key, output: Output, perspective: str) -> Iterator[str]:
    likeness = candidates(key, output.findings)
    rulings = [each for each in lexical_marks(key, output, perspective).rulings if each.verdict != "neither"]
    ruled = {each.finding: f"by words: {each.verdict}, {_comment(each.reason)}" for each in rulings}
    problems = {problem.id: problem for problem in key.problems}
    for proposal in proposals(key, output):
        problem = problems[proposal.problem]
        yield from _problem(problem, proposal, _likely(problem, output, likeness))
    yield "  findings:" if output.findings else "  findings: {}"
    for finding in sorted(output.findings, key=lambda finding: (_highest(likeness[finding.index]), finding.index)):
        yield from _unruled(finding, ruled.get(finding.index, ""))


def _unruled(finding: Finding, proposal: str = "") -> Iterator[str]:
    yield f"    # line {finding.line}: {_comment(finding.text, 300)}"
    if proposal:
        yield f"    #   {proposal}"
    yield f'    {finding.id}: {{verdict: neither, reason: ""}}'


def _likely(
    problem: Problem, output: Output, likeness: Mapping[int, Mapping[str, float]]
) -> list[tuple[float, Finding]]:
    """(probability, finding) of the findings most like the problem, highest first."""
    pairs = [(likeness[finding.index][problem.id], finding) for finding in output.findings]
    near = [pair for pair in pairs if pair[0] >= UNLIKELY]
    return sorted(near, key=lambda pair: (-pair[0], pair[1].index))[:LIKELY]


def _criteria(problem: Problem) -> Iterator[str]:
    yield f"    # {problem.id} {problem.severity}: {_comment(problem.title)}"
    yield f"    #   ○ {_comment(problem.criteria.detected, 300)}"
    yield f"    #   △ {_comment(problem.criteria.partial, 300)}"


def _problem(problem: Problem, proposal: Proposal, likely: Sequence[tuple[float, Finding]]) -> Iterator[str]:
    yield from _criteria(problem)
    passage = f": “{_comment(proposal.quote, 200)}”" if proposal.quote and proposal.mark != "missed" else ""
    yield f"    #   proposal: {SYMBOLS[proposal.mark]}, {percent(proposal.certainty, 0)} certain{passage}"
    for _, finding in likely:
        yield f"    #   {finding.id}? {_comment(finding.title)}"
    named = f", finding: {likely[0][1].id}" if likely else ""
    yield f'    {flow_key(problem.id)}: {{mark: "{OPEN}"{named}}}'


def _highest(likeness: Mapping[str, float]) -> float:
    return round(max(likeness.values(), default=0.0), 6)


def _comment(text: str, limit: int = 120) -> str:
    """Text cut to one line, so that it cannot leave its comment."""
    return short(text, limit)
