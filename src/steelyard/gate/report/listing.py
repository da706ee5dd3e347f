"""Listings of tasks, self-tests and configurations, as documents and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from steelyard.gate.config.validation import Finding, Inspection
from steelyard.gate.selftest import SelfTest
from steelyard.gate.task_folder import Suite, Task
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import count, score, seconds, things

LISTING_VERSION = 1
"""1: first shape of the JSON of `gate check`."""


def listing(suite: Suite) -> Document:
    """The tasks of a folder, and why some cannot be used."""
    columns = ("Task", Column("Title", shrink=True), Column("Checks", "right"), "Judge", "Timeout", "Reference")
    rows = [_task_row(task) for task in suite.tasks]
    blocks: list[Block] = [table(columns, rows)] if rows else []
    if not rows and not suite.problems:
        blocks += [Paragraph("There are no tasks here.", "bad")]
    if suite.problems:
        blocks += [Heading("Cannot be used", 2), Bullets(suite.problems)]
    return Document(things(len(suite.tasks), "task"), tuple(blocks))


def listing_json(suite: Suite) -> dict[str, Any]:
    """The tasks as JSON."""
    tasks = [
        {
            "id": task.id,
            "title": task.file.title,
            "checks": list(task.checks),
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


def selftests(results: Sequence[SelfTest]) -> Document:
    """The self-tests of tasks."""
    rows = [(result.task, Cell("fine", "good") if result.fine else Cell("fails", "bad")) for result in results]
    problems = tuple(f"{result.task}: {problem}" for result in results for problem in result.problems)
    blocks: list[Block] = [table(("Task", "Self-test"), rows)]
    return Document("Self-test of the tasks", (*blocks, *([Bullets(problems)] if problems else [])))


def selftests_json(results: Sequence[SelfTest]) -> dict[str, Any]:
    """The self-tests as JSON."""
    tasks = [{"id": result.task, "fine": result.fine, "problems": list(result.problems)} for result in results]
    return {"schema_version": LISTING_VERSION, "tasks": tasks}


def inspection(config: Inspection) -> Document:
    """What a configuration contains, and what is wrong with it."""
    rows = [(kind, count(len(paths)), ", ".join(paths)) for kind, paths in sorted(config.kinds.items())]
    blocks: list[Block] = [table(("Kind", Column("Files", "right"), "Paths"), rows)]
    if config.changes is not None:
        lines = tuple(f"{change}: {path}" for path, change in config.changes.items())
        blocks += [Heading("Against the baseline", 2), Bullets(lines or ("nothing differs",))]
    for level, title in (("error", "Errors"), ("warning", "Warnings")):
        lines = tuple(_line(finding) for finding in config.findings if finding.level == level)
        blocks += [Heading(title, 2), Bullets(lines)] if lines else []
    blocks.append(Paragraph("Valid." if config.valid else "Not valid.", "good" if config.valid else "bad"))
    return Document(f"Configuration {config.label}", tuple(blocks))


def inspection_json(config: Inspection) -> dict[str, Any]:
    """A configuration as JSON."""
    return {
        "schema_version": LISTING_VERSION,
        "label": config.label,
        "valid": config.valid,
        "kinds": config.kinds,
        "changes": config.changes,
        "findings": [asdict(finding) for finding in config.findings],
    }


def _line(finding: Finding) -> str:
    where = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
    return f"{where} {finding.message}"
