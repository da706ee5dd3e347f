"""Missed problems as SARIF, each at its location in the document.

The key gives locations in words and SARIF needs line numbers: `line_range` translates.
"""

from __future__ import annotations

import re

from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.sections import outline
from steelyard.audit.model import Problem, Result, Severity, Source
from steelyard.report.sarif import Level, Place, Rule, render

_LEVELS: dict[Severity, Level] = {"Critical": "error", "Medium": "warning", "Minor": "note"}


_SECTION = re.compile(r"(?:section|chapter|§)\s*([\d.]+)", re.IGNORECASE)


def to_sarif(result: Result, written_at: str = "") -> str:
    """The problems that at least one run missed; if the document was not read, each is reported on line 1."""
    source = result.source or Source(result.document, "")
    missed = [(problem, runs) for problem in result.problems if (runs := _missed_in(result, problem))]
    rules = [Rule(problem.id, problem.title, problem.category, _LEVELS[problem.severity]) for problem, _ in missed]
    return render("steelyard-audit", rules, [_place(result, problem, runs, source) for problem, runs in missed])


def _missed_in(result: Result, problem: Problem) -> list[int]:
    return [
        number
        for number, run in enumerate(result.runs, start=1)
        if any(cell.problem == problem.id and cell.mark == "missed" for cell in run.cells)
    ]


def _place(result: Result, problem: Problem, runs: list[int], source: Source) -> Place:
    first, last = line_range(problem.location, source.text)
    numbers = ", ".join(map(str, runs))
    message = f"{result.name} missed {problem.id}: {problem.title} (run {numbers} of {len(result.runs)})"
    properties = {"severity": problem.severity, "category": problem.category, "missed_runs": runs}
    level = _LEVELS[problem.severity]
    return Place(problem.id, level, message, source.path, first, last, problem.location, properties)


def line_range(location: str, document: str) -> tuple[int, int]:
    """First and last line of a location in a document, from 1; (1, 1) if nothing matches.

    Line numbers are taken as they are; else the first name in backticks that occurs in the named section (or anywhere);
    else the heading of the named section; else a line that contains the words.
    """
    lines = document.split("\n")
    total = max(1, len(lines))
    if place := next((place for place in locations(location) if place.line is not None), None):
        first, last = place.line or 1, place.end or place.line or 1
        return min(max(1, first), total), min(max(1, last), total)
    start, end = _section(location, document, total)
    # Every second part stands between backticks.
    for name in filter(None, location.split("`")[1::2]):
        for number in (*range(start, end + 1), *range(1, total + 1)):
            if _mentions(lines[number - 1], name):
                return number, number
    if start > 1 or end < total:
        return start, start
    words = location.strip().casefold()
    first = next((number for number, line in enumerate(lines, 1) if words and words in line.casefold()), 1)
    return first, first


def _section(location: str, document: str, total: int) -> tuple[int, int]:
    """The lines of the first section that the location names by number; all lines if it names none."""
    reference = _SECTION.search(location)
    if not reference:
        return 1, total
    number = reference.group(1).rstrip(".")
    sections = [section for section in outline(document) if section.level]
    for index, section in enumerate(sections):
        if re.match(rf"\W*{re.escape(number)}(?:\.?\s|\.?$|[.:)])", section.title):
            after = (later.line for later in sections[index + 1 :] if later.level <= section.level)
            return section.line, next(after, total + 1) - 1
    return 1, total


def _mentions(line: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.strip('()'))}(?!\w)", line) is not None
