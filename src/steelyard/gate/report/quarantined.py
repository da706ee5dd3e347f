"""What a comparison set aside: shown beside the verdict."""

from __future__ import annotations

from steelyard.gate.evidence.policy import QuarantineEntry
from steelyard.gate.model import Comparison, Standing, TaskDelta
from steelyard.report.document import Block, Heading, table
from steelyard.report.numbers import UNKNOWN, percent, score


def quarantined(outcome: Comparison) -> list[Block]:
    """The section about quarantined tasks and checks; empty if there are none."""
    if not outcome.quarantined:
        return []
    tasks = {delta.task: delta for delta in outcome.quarantined_tasks}
    columns = ("Quarantined", "Until", "Owner", "Reason", "Result")
    rows = [
        (entry.name, str(entry.until), entry.owner, entry.reason, _result(entry, tasks.get(entry.task)))
        for entry in outcome.quarantined
    ]
    return [Heading("Quarantined, not counted", 2), table(columns, rows)]


def _result(entry: QuarantineEntry, delta: TaskDelta | None) -> str:
    if delta is None:
        return UNKNOWN
    if entry.check is None:
        return f"composite {_composite(delta.baseline)} → {_composite(delta.candidate)}"
    flip = next((flip for flip in delta.flips if flip.check == entry.check), None)
    return f"passed {percent(flip.baseline, 0)} → {percent(flip.candidate, 0)}" if flip else "the same on both sides"


def _composite(standing: Standing | None) -> str:
    return UNKNOWN if standing is None else score(standing.composite)
