"""What was planted, as a document and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from steelyard.audit.plant.kinds import KINDS
from steelyard.audit.plant.planting import Planting
from steelyard.audit.plant.reprove import Reproved
from steelyard.report.document import Block, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import count, things

_NAMED = 10
"""Tests and files that are named among those set aside."""


def document(found: Planting) -> Document:
    """The documents, the kinds, and what was thrown out."""
    keyed = [one for one in found.documents if one.problems]
    control = "a clean control" if found.control else "no clean control: the history holds no commit for it"
    head = f"{things(found.problems, 'proved problem')} in {things(len(keyed), 'document')}, and {control}."
    blocks: list[Block] = [Paragraph(head if keyed else "No problem was proved.", "good" if keyed else "bad")]
    if found.cpu_s:
        ratio = found.naive_cpu_s / found.cpu_s
        blocks.append(
            Paragraph(
                f"{found.cpu_s / 60:.1f} CPU minutes of tests; all tests for each edit would take about "
                f"{found.naive_cpu_s / 60:.1f}: {ratio:.1f} times as much."
            )
        )
    if keyed:
        rows = [(kind, KINDS[kind].severity, count(number)) for kind, number in found.kinds.most_common()]
        blocks += [Heading("Kinds"), table(["Kind", "Severity", Column("Problems", align="right")], rows)]
        rows = [(one.id, count(len(one.problems)), count(one.files)) for one in keyed]
        right = [Column(name, align="right") for name in ("Problems", "Files")]
        blocks += [Heading("Documents"), table([Column("Document", shrink=True), *right], rows)]
    if found.states:
        rows = [(state, count(number)) for state, number in found.states.items()]
        blocks += [Heading("Tried"), table([Column("Outcome", shrink=True), Column("Number", align="right")], rows)]
    if found.set_aside:
        more = len(found.set_aside) - _NAMED
        lines = [*found.set_aside[:_NAMED], *([f"and {count(more)} more"] if more > 0 else [])]
        blocks += [Heading("Set aside"), *(Paragraph(line) for line in lines)]
    return Document("Planted problems", tuple(blocks))


def as_data(found: Planting) -> dict[str, Any]:
    """The planting as plain data."""
    ratio = round(found.naive_cpu_s / found.cpu_s, 2) if found.cpu_s else None
    return {"schema_version": 1, "kind": "planting", **asdict(found), "problems": found.problems, "ratio": ratio}


def proof_document(found: Sequence[Reproved]) -> Document:
    """Which problems are proved, and why the others are not."""
    good = sum(not one.fault for one in found)
    head = Paragraph(f"{count(good)} of {things(len(found), 'problem')} proved, 3 of 3.", _tone(good, len(found)))
    rows = [(one.document, one.problem, one.fault or f"proved by {one.tests[0]}") for one in found]
    return Document("Proofs", (head, table(["Document", "Problem", Column("Proof", shrink=True)], rows)))


def _tone(good: int, total: int) -> Any:
    return "good" if good == total else "bad"
