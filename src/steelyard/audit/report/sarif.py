"""Missed problems as SARIF, at their place in the document."""

from __future__ import annotations

from steelyard.audit.model import Problem, Result, Severity
from steelyard.audit.report.location import line_range
from steelyard.report.sarif import Level, Place, Rule, render

_LEVELS: dict[Severity, Level] = {"Critical": "error", "Medium": "warning", "Minor": "note"}


def missed_sarif(result: Result, document: str, uri: str) -> str:
    """Problems that at least one run missed; `document` is its text, `uri` its path."""
    missed = [(problem, runs) for problem in result.problems if (runs := _missed_in(result, problem))]
    rules = [Rule(each.id, each.title, each.category, _LEVELS[each.severity]) for each, _ in missed]
    places = [_place(result, each, runs, document, uri) for each, runs in missed]
    return render("steelyard-audit", rules, places)


def _missed_in(result: Result, problem: Problem) -> list[int]:
    return [
        number
        for number, run in enumerate(result.runs, start=1)
        if any(cell.problem == problem.id and cell.mark == "missed" for cell in run.cells)
    ]


def _place(result: Result, problem: Problem, runs: list[int], document: str, uri: str) -> Place:
    first, last = line_range(problem.location, document)
    told = ", ".join(map(str, runs))
    message = f"{result.name} missed {problem.id}: {problem.title} (run {told} of {len(result.runs)})"
    properties = {"severity": problem.severity, "category": problem.category, "missed_runs": runs}
    return Place(problem.id, _LEVELS[problem.severity], message, uri, first, last, problem.location, properties)
