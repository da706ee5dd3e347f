"""What the smaller commands show: tasks, self-tests, configurations, as documents and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from steelyard.gate.config.inspect import Finding, Inspection
from steelyard.gate.selftest import Verdict
from steelyard.gate.task import Suite, Task
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import count, score, seconds

LISTING_VERSION = 1
"""1: first shape of the JSON of `gate tasks`, `gate selftest` and `gate validate`."""


def listing(suite: Suite) -> Document:
    """The tasks of a folder, and what is wrong with those that cannot be used."""
    columns = ("Task", Column("Title", shrink=True), Column("Checks", "right"), "Judge", "Timeout", "Reference")
    rows = [_task_row(task) for task in suite.tasks]
    blocks: list[Block] = [table(columns, rows)] if rows else [Paragraph("There are no tasks here.", "bad")]
    if suite.problems:
        blocks += [Heading("Cannot be used", 2), Bullets(suite.problems)]
    return Document(f"{count(len(suite.tasks))} tasks", tuple(blocks))


def listing_json(suite: Suite) -> dict[str, Any]:
    """The same for machines."""
    tasks = [
        {
            "id": task.id,
            "title": task.file.title,
            "checks": list(task.names),
            "rubric": task.rubric is not None,
            "sha": task.sha,
        }
        for task in suite.tasks
    ]
    return {"schema_version": LISTING_VERSION, "tasks": tasks, "problems": list(suite.problems)}


def _task_row(task: Task) -> tuple[Cell | str, ...]:
    judged = f"weight {score(task.file.judge_weight, 2)}" if task.rubric else "no"
    reference = "yes" if task.reference is not None else Cell("none", "warn")
    timeout = seconds(task.file.timeout_s)
    return task.id, task.file.title, count(len(task.file.checks)), judged, timeout, reference


def trials(found: Sequence[Verdict]) -> Document:
    """How tasks stood their self-test."""
    rows = [(each.task, Cell("fine", "good") if each.fine else Cell("fails", "bad")) for each in found]
    problems = tuple(f"{each.task}: {problem}" for each in found for problem in each.problems)
    blocks: list[Block] = [table(("Task", "Self-test"), rows)]
    return Document("Self-test of the tasks", (*blocks, *([Bullets(problems)] if problems else [])))


def trials_json(found: Sequence[Verdict]) -> dict[str, Any]:
    """The same for machines."""
    tasks = [{"id": each.task, "fine": each.fine, "problems": list(each.problems)} for each in found]
    return {"schema_version": LISTING_VERSION, "tasks": tasks}


def inspection(found: Inspection) -> Document:
    """What a configuration holds."""
    rows = [(kind, count(len(paths)), ", ".join(paths)) for kind, paths in sorted(found.kinds.items())]
    blocks: list[Block] = [table(("Kind", Column("Files", "right"), "Paths"), rows)]
    if found.changes is not None:
        lines = tuple(f"{how}: {path}" for path, how in found.changes.items())
        blocks += [Heading("Against the baseline", 2), Bullets(lines or ("nothing differs",))]
    for level, title in (("error", "Errors"), ("warning", "Warnings")):
        lines = tuple(_line(each) for each in found.findings if each.level == level)
        blocks += [Heading(title, 2), Bullets(lines)] if lines else []
    blocks.append(Paragraph("Valid." if found.valid else "Not valid.", "good" if found.valid else "bad"))
    return Document(f"Configuration {found.label}", tuple(blocks))


def inspection_json(found: Inspection) -> dict[str, Any]:
    """The same for machines."""
    return {
        "schema_version": LISTING_VERSION,
        "label": found.label,
        "valid": found.valid,
        "kinds": found.kinds,
        "changes": found.changes,
        "findings": [asdict(each) for each in found.findings],
    }


def _line(finding: Finding) -> str:
    where = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
    return f"{where} {finding.message}"
