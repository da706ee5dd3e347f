"""Embedded subjects for the shipped suites: a report that finds everything, and one that finds nothing.

The reference report takes, for each planted problem, the findings of the recorded runs that the authors marked ○. The
guess picks general remarks that apply to any document.
"""

from __future__ import annotations

import random
from functools import cache

from steelyard.audit.example import SUITES, sheet_of, suite_folder, suite_result
from steelyard.audit.files import read_text
from steelyard.audit.suite import Suite, read_suite

_REMARKS = (
    "Error handling could be more consistent in several places.",
    "Some names are not self-explanatory and should be improved.",
    "Consider adding more automated tests before the next release.",
    "The documentation could describe the intended audience better.",
    "Performance should be measured under realistic load.",
    "A stricter review process would help to keep quality high.",
    "Security should be considered throughout the whole life cycle.",
    "Dependencies should be kept up to date.",
)


def reference(prompt: str) -> str | None:
    """A report that finds every planted problem of a shipped document; None for any other prompt."""
    return next((report for text, report in _references() if text in prompt), None)


def guess(prompt: str, rng: random.Random) -> str | None:
    """Remarks that apply to any document; None if the prompt contains no shipped document."""
    if not any(text in prompt for text, _ in _references()):
        return None
    return "## Findings\n\n" + "\n".join(f"- {remark}" for remark in rng.sample(_REMARKS, 5)) + "\n"


@cache
def _references() -> tuple[tuple[str, str], ...]:
    """(text, reference report) of every shipped document."""
    references: list[tuple[str, str]] = []
    for name in SUITES:
        suite = read_suite(suite_folder(name))
        best = _best_findings(suite)
        for unit in suite.units:
            assert unit.document is not None
            parts = [f"### {title}\n\n{body}" for title, body in best.get(unit.id, [])]
            report = "## Findings\n\n" + "\n\n".join(parts) if parts else "No problems found."
            references.append((read_text(unit.document, "document"), report))
    return tuple(references)


def _best_findings(suite: Suite) -> dict[str, list[tuple[str, str]]]:
    """By document: (title, text) of the findings for each problem that recorded runs detected, in the key's order."""
    best: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for runs in suite.sets.values():
        for result in suite_result(suite, runs, sheet_of(runs)).results:
            for run in result.runs:
                findings = {finding.index: finding for finding in run.output.findings}
                for cell in run.cells:
                    if cell.mark == "detected" and cell.finding is not None:
                        finding = findings[cell.finding]
                        table = best.setdefault(result.document, {})
                        table.setdefault(cell.problem, []).append((finding.title, finding.text))
    return {
        name: list(dict.fromkeys(pair for problem in sorted(table) for pair in table[problem]))
        for name, table in best.items()
    }
