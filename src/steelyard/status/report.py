"""The status as a document for people and as JSON for programs."""

from __future__ import annotations

from typing import Any

from steelyard.report import numbers
from steelyard.report.document import Block, Bullets, Column, Document, Paragraph, table
from steelyard.status.model import Line, Status

_COUNTS = ("total", "done", "running", "left", "failed", "unscored", "tokens", "spent_usd", "unknown_cost")

_OPEN = ("running", "left", "failed", "unscored")


def as_json(status: Status) -> dict[str, Any]:
    """The status as JSON data."""
    return {
        "schema_version": 1,
        "active": status.active,
        "left_s": status.left_s,
        **_sums(status),
        "lines": [
            {
                "wing": line.wing or None,
                "subject": line.subject,
                "unit": line.unit,
                "state": line.state,
                **_counts(line),
                "left_s": line.left_s,
            }
            for line in status.lines
        ],
        "problems": [{"path": problem.path, "reason": problem.reason} for problem in status.problems],
    }


def document(status: Status) -> Document:
    """The status as people read it."""
    columns = [Column("Subject", shrink=True), Column("Unit"), Column("State"), Column("Done", "right")]
    columns += [Column("Open"), Column("USD", "right"), Column("Time left", "right")]
    blocks: list[Block] = [table(columns, [_row(line) for line in status.lines]), Paragraph(summary(status))]
    if status.problems:
        blocks.append(Bullets(tuple(f"{problem.path}: {problem.reason}" for problem in status.problems)))
    return Document("Status", tuple(blocks))


def summary(status: Status) -> str:
    """One line about the whole folder."""
    sums = _sums(status)
    parts = [f"{numbers.count(sums['done'])} of {numbers.count(sums['total'])} samples done"]
    parts += [f"{numbers.count(sums[name])} {name}" for name in _OPEN if sums[name]]
    waiting = sum(line.state == "waiting" for line in status.lines)
    parts += [f"{numbers.things(waiting, 'task')} waiting"] if waiting else []
    parts.append(f"{numbers.count(sums['tokens'])} tokens")
    unknown = f" and {numbers.things(sums['unknown_cost'], 'sample')} of unknown cost" if sums["unknown_cost"] else ""
    parts.append(f"{numbers.usd(sums['spent_usd'])} spent{unknown}")
    if status.left_s is not None:
        parts.append(f"about {numbers.seconds(status.left_s)} left for what is running")
    return ", ".join(parts) + "."


def _counts(line: Line) -> dict[str, Any]:
    return {name: getattr(line, name) for name in _COUNTS}


def _sums(status: Status) -> dict[str, Any]:
    counted = [_counts(line) for line in status.lines]
    return {name: sum(counts[name] for counts in counted) for name in _COUNTS}


def _row(line: Line) -> list[str]:
    if line.state == "waiting":
        return [line.subject, line.unit, line.state, *[numbers.UNKNOWN] * 4]
    still_open = ", ".join(f"{numbers.count(getattr(line, name))} {name}" for name in _OPEN if getattr(line, name))
    cost = "unknown" if line.unknown_cost and not line.spent_usd else numbers.usd(line.spent_usd)
    done = f"{numbers.count(line.done)} of {numbers.count(line.total)}"
    return [line.subject, line.unit, line.state, done, still_open, cost, numbers.seconds(line.left_s)]
