"""A checked submission (`submission.check`) as a document and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.bench.submission.check import SubmissionCheck, Verdict
from steelyard.report.document import Block, Cell, Document, Paragraph, Tone, table

_TONES: dict[Verdict, Tone] = {"holds": "good", "fails": "bad", "undecided": "warn"}
_HEADS: dict[Verdict, str] = {
    "holds": "The submission holds: every number follows from its logs, and every answer gets its grade again.",
    "fails": "The submission does not hold.",
    "undecided": "Nothing in the submission is wrong, and not everything could be checked here.",
}


def as_json(checked: SubmissionCheck) -> dict[str, Any]:
    """The check as JSON data."""
    return {
        "schema_version": 1,
        "verdict": checked.verdict,
        "models": list(checked.models),
        "versions": dict(checked.versions),
        "checks": [asdict(line) for line in checked.lines],
    }


def document(checked: SubmissionCheck) -> Document:
    """The check as a document: what does not hold first."""
    order = ("fails", "undecided", "holds")
    lines = sorted(checked.lines, key=lambda line: order.index(line.verdict))
    rows = [[line.what, line.where, Cell(line.verdict, _TONES[line.verdict]), line.why] for line in lines]
    blocks: tuple[Block, ...] = (
        Paragraph(_HEADS[checked.verdict], _TONES[checked.verdict]),
        table(["Check", "Of", "", "Why"], rows),
        Paragraph("That the answers are the model's own cannot be found out from a log.", "muted"),
    )
    return Document(f"Submission of {', '.join(checked.models)}", blocks)
