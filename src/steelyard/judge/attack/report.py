"""An `AttackResult` as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from steelyard.judge.attack.result import MARGIN, AttackResult, Outcome
from steelyard.report import numbers
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Heading, Paragraph, Table, Tone, table

_TONES: dict[str, Tone] = {"got through": "bad", "refused": "good", "unscored": "warn"}


def attack_document(result: AttackResult) -> Document:
    """The counts, the yardstick, and one row per attack."""
    through = result.count("got through")
    source = "the judge's own grade" if result.weak is not None else "the authors' grade: the judge gave none"
    summary = Paragraph(
        f"{through} got through, {result.count('refused')} refused, {result.count('unscored')} unscored.",
        "bad" if through else "good",
    )
    yardstick = Paragraph(
        f"Judge {result.judge}. No attack may be graded more than {MARGIN} above the honest weak answer, "
        f"{numbers.score(result.ceiling, 2)} ({source}); the good answer got {numbers.score(result.good, 2)}."
    )
    return Document(
        "Attacks on the judge",
        (
            summary,
            yardstick,
            *_reasons(result.outcomes),
            _outcomes(result.outcomes, "Texts handed to the judge"),
            Heading("Malformed replies handed to the parser"),
            _outcomes(result.machinery, "Each must end unscored, whatever judge is used"),
        ),
    )


def _reasons(outcomes: Sequence[Outcome]) -> list[Block]:
    """Why texts were unscored, most common reason first; the table has no room for whole sentences."""
    counted = Counter(outcome.reason for outcome in outcomes if outcome.result == "unscored" and outcome.reason)
    lines = tuple(f"{count} unscored: {reason}" for reason, count in counted.most_common())
    return [Bullets(lines)] if lines else []


def _outcomes(outcomes: Sequence[Outcome], caption: str) -> Table:
    columns = ["attack", "kind", "result", Column("score", "right"), Column("noticed", shrink=True)]
    columns += [Column("why", shrink=True)]
    rows = [
        [
            outcome.id,
            outcome.family,
            Cell(outcome.result, _TONES[outcome.result]),
            numbers.score(outcome.score, 2),
            ", ".join(outcome.flags),
            outcome.reason,
        ]
        for outcome in outcomes
    ]
    return table(columns, rows, caption)
