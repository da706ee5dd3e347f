"""How the skill under test was activated: expectation against reality, mistakes and near misses."""

from __future__ import annotations

from steelyard.gate.model import Confusion
from steelyard.report.document import Block, Bullets, Cell, Column, Heading, Paragraph, table


def activation_blocks(confusion: Confusion) -> list[Block]:
    """The confusion matrix of the candidate's runs, and the lists that explain it."""
    rows = [
        ("activation", Cell(str(confusion.expected_activated), "good"), _wrong(confusion.expected_silent)),
        ("no activation", _wrong(confusion.unexpected_activated), Cell(str(confusion.unexpected_silent), "good")),
        ("either", Cell(str(confusion.free_activated)), Cell(str(confusion.free_silent))),
    ]
    columns = ("Expected", Column("Activated", "right"), Column("Not activated", "right"))
    blocks: list[Block] = [Heading("Activation of the skill", 2), table(columns, rows)]
    if confusion.mistakes:
        blocks += [Paragraph("Not as expected:"), Bullets(confusion.mistakes)]
    if confusion.near_misses:
        blocks += [Paragraph("Near misses:"), Bullets(confusion.near_misses)]
    return blocks


def _wrong(number: int) -> Cell:
    return Cell(str(number), "bad" if number else "plain")
