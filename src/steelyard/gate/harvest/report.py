"""What a harvest brought, as a document and as data."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from steelyard.gate.harvest import Harvest
from steelyard.report.document import Block, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import count, percent, things

_EXAMPLES = 2
"""Commits that are named for each reason."""


def document(found: Harvest) -> Document:
    """The tasks, and why the other commits became none."""
    share = "" if found.usable is None else f", {percent(found.usable, 0)} of {count(found.tried)} that were tried"
    head = (
        f"{things(len(found.tasks), 'task')} from {things(found.looked_at, 'commit')}{share}; "
        f"{things(found.candidates, 'candidate')}: commits that change source and tests and are small enough."
    )
    blocks: list[Block] = [Paragraph(head, "good" if found.tasks else "bad")]
    if found.shallow:
        blocks.append(Paragraph("The clone is shallow: `git fetch --unshallow` brings more commits.", "warn"))
    if found.tasks:
        right = [Column(name, align="right") for name in ("Lines", "Turned green", "Stay green", "Seconds")]
        rows = [
            (task.id, task.date[:10], count(task.lines), count(task.turned), count(task.steady), f"{task.seconds:.1f}")
            for task in found.tasks
        ]
        blocks += [Heading("Tasks"), table([Column("Task", shrink=True), "Date", *right], rows)]
    if found.dropped:
        reasons = Counter(drop.reason for drop in found.dropped)
        rows = [(reason, count(number), _examples(found, reason)) for reason, number in reasons.most_common(15)]
        heads = [Column("Reason", shrink=True), Column("Commits", align="right"), Column("For example", shrink=True)]
        blocks += [Heading("Dropped"), table(heads, rows)]
    return Document("Tasks from the history", tuple(blocks))


def _examples(found: Harvest, reason: str) -> str:
    named = [f"{drop.commit[:8]} {drop.subject}" for drop in found.dropped if drop.reason == reason]
    return "; ".join(named[:_EXAMPLES])


def as_data(found: Harvest) -> dict[str, Any]:
    """The harvest as plain data."""
    return {
        "schema_version": 1,
        "kind": "harvest",
        "looked_at": found.looked_at,
        "candidates": found.candidates,
        "tried": found.tried,
        "usable": found.usable,
        "shallow": found.shallow,
        "tasks": [asdict(task) for task in found.tasks],
        "dropped": [asdict(drop) for drop in found.dropped],
    }
