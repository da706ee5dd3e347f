"""Marks by place: for tools that name a file and a line, against keys that do.

A finding within 3 lines of a problem's location that speaks to its category is ○; anything else is ×. It speaks to the
category when it shares a word with the problem's category, title, description or ○ criterion (a scanner's rule and
weakness number count as words, by what they are about). Findings at no problem's place are neither bonus nor penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.overlap import words
from steelyard.audit.model import Claim, Finding, Key, Location, Marks, Output, Problem, Ruling

NAME = "location: within 3 lines and on the subject"

NEAR = 3
"""Lines between a finding and a problem's location that still count as the same place."""


def located_marks(key: Key, output: Output) -> Marks:
    """Marks for one run by file and line."""
    places = {problem.id: _with_lines(locations(problem.location)) for problem in key.problems}
    claims = [claim for problem in key.problems for claim in _claims(problem, places[problem.id], output)]
    addressing = {claim.finding for claim in claims}
    rest = [finding for finding in output.findings if finding.index not in addressing]
    rulings = tuple(Ruling(finding.index, "neither", "at no problem's place") for finding in rest)
    unplaced = [problem.id for problem in key.problems if not places[problem.id]]
    flags = (f"no line in the key's location, so found by nobody: {', '.join(unplaced)}",) if unplaced else ()
    return Marks(tuple(claims), rulings, flags=flags)


def _claims(problem: Problem, places: Sequence[Location], output: Output) -> list[Claim]:
    subject = words(f"{problem.category} {problem.title} {problem.description} {problem.criteria.detected}")
    return [
        Claim(problem.id, finding.index, "detected", finding.text.split("\n", 1)[0], str(finding.locations[0]))
        for finding in output.findings
        if _is_near(finding, places) and words(finding.text) & subject
    ]


def _is_near(finding: Finding, places: Sequence[Location]) -> bool:
    return any(_same_place(named, place) for named in _with_lines(finding.locations) for place in places)


def _same_place(one: Location, other: Location) -> bool:
    if one.line is None or other.line is None:
        return False
    gap = max(one.line, other.line) - min(one.end or one.line, other.end or other.line)
    return gap <= NEAR and _same_file(one.path, other.path)


def _same_file(one: str, other: str) -> bool:
    """Whether two paths can be the same file: one of them is the end of the other, or none is given."""
    if not one or not other:
        return True
    parts, others = PurePosixPath(one).parts, PurePosixPath(other).parts
    shared = min(len(parts), len(others))
    return parts[-shared:] == others[-shared:]


def _with_lines(places: Sequence[Location]) -> list[Location]:
    return [place for place in places if place.line is not None]
