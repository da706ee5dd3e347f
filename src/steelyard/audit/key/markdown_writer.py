"""Writes answer keys as Markdown in one canonical form, which `markdown_form` reads back unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.audit import tables
from steelyard.audit.key.markdown_form import HASHES
from steelyard.audit.key.reader import DEEP
from steelyard.audit.model import Key, Problem


def write(key: Key) -> str:
    """The key as Markdown."""
    parts = [f"# {_heading(key.title)}"] if key.title else []
    parts += [text for heading, text in key.notes if not heading]
    parts += ["\n".join(_problem(problem)) for problem in key.problems]
    if key.bonuses:
        parts.append("\n".join(_bonus_table(key)))
    parts += [f"## {_heading(heading)}\n\n{text}" for heading, text in key.notes if heading]
    return "\n\n".join(parts) + "\n"


def _problem(problem: Problem) -> Iterator[str]:
    yield f"### {problem.id}: {_heading(problem.title)}"
    yield from (_indented(text) for name, text in problem.extra if not name)
    named = (("Category", problem.category), ("Severity", problem.severity), ("Location", problem.location))
    for name, text in (*named, ("Problem Description", problem.description)):
        if text:
            yield f"- **{name}**: {_indented(text)}"
    yield "- **Detection Criteria**:"
    yield f"  - ○ (Detected): {_indented(problem.criteria.detected)}"
    yield f"  - △ (Partial): {_indented(problem.criteria.partial)}"
    yield f"  - × (Not detected): {_indented(problem.criteria.missed)}"
    yield from (f"- **{name}**: {_indented(text)}" for name, text in problem.extra if name)


def _heading(title: str) -> str:
    """A title escaped for a heading, so that hashes at its end do not close it."""
    return HASHES.sub(lambda hashes: "\\" + hashes.group(1), title)


def _indented(text: str) -> str:
    """Text with its further lines indented so deep that they can only be text."""
    return text.replace("\n", "\n" + " " * DEEP)


def _bonus_table(key: Key) -> Iterator[str]:
    yield "## Bonus\n"
    yield "| ID | Category | Content | Bonus Condition |"
    yield "|----|----------|---------|-----------------|"
    for bonus in key.bonuses:
        cells = (bonus.id, bonus.category, bonus.content, bonus.condition)
        yield f"| {' | '.join(map(tables.cell, cells))} |"
