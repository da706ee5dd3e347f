"""How the skill under test was activated, and which parts of the configurations were used."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.gate.steps import Confusion, PartUse
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


def part_blocks(parts: Sequence[PartUse]) -> list[Block]:
    """In how many runs of each side each part was used."""
    if not parts:
        return []
    columns = ("Part", Column("Baseline", "right"), Column("Candidate", "right"))
    rows = [(use.part, *map(_share, (use.baseline, use.candidate))) for use in parts]
    about = "Runs in which it came into play, of those that show it."
    return [Heading("Parts of the configuration in use", 2), Paragraph(about, "muted"), table(columns, rows)]


def _share(runs: tuple[int, int] | None) -> Cell:
    return Cell("–") if runs is None else Cell(f"{runs[0]} of {runs[1]}")


def _wrong(number: int) -> Cell:
    return Cell(str(number), "bad" if number else "plain")
