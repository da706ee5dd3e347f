"""Whether a comparison is what was registered, for a person and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.gate.report.document import headline
from steelyard.gate.verify import Verification
from steelyard.report.document import Block, Bullets, Document, Heading, Paragraph
from steelyard.report.numbers import things

VERSION = 1
"""1: first shape."""


def verification(result: Verification) -> Document:
    """The answer, what was registered, and what does not hold."""
    word = "What was decided is what was registered." if result.holds else "It does not hold."
    policy = result.policy
    rule = f"policy {policy.name}"
    if policy.name != "contract":
        rule += f", question {policy.question}, margin {policy.margin:g}, alpha {policy.alpha:g}"
    lines = (
        f"registered: {rule}" + (f" ({result.registration[:12]})" if result.registration else " (nothing recorded)"),
        f"{things(result.rounds, 'round')}, {things(result.looks, 'look')}",
        f"from the logs: {headline(result.weighed.outcome)}",
        *result.notes,
    )
    blocks: list[Block] = [Paragraph(word, "good" if result.holds else "bad"), Bullets(lines)]
    if result.problems:
        blocks += [Heading("What does not hold", 2), Bullets(result.problems)]
    return Document("Verification", tuple(blocks))


def verification_json(result: Verification) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "schema_version": VERSION,
        "holds": result.holds,
        "problems": list(result.problems),
        "policy": asdict(result.policy),
        "registration": result.registration,
        "rounds": result.rounds,
        "looks": result.looks,
        "notes": list(result.notes),
        "summary": headline(result.weighed.outcome),
    }
