"""Two people's marks beside each other: κ, the table of marks, and every cell where they differ."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.audit.agreement.people import Difference, TwoOpinions
from steelyard.audit.model import MARKS, SYMBOLS
from steelyard.report.document import Block, Column, Document, Heading, Paragraph, Table, table
from steelyard.report.numbers import count, percent
from steelyard.stats.agreement import Kappa


def agreement_document(found: TwoOpinions) -> Document:
    """How far two people agree, and where they differ."""
    blocks: list[Block] = [
        Paragraph(
            f"{count(found.alike)} of {count(found.cells)} cells are marked alike "
            f"({percent(found.alike / found.cells, 0)}). κ {_kappa(found.kappa)}; "
            f"weighted, so that △ lies between ○ and ×: {_kappa(found.weighted)}."
        ),
        _counts(found),
    ]
    if any(found.alone):
        blocks.append(Paragraph(f"Marked by one alone: {found.one} {found.alone[0]}, {found.other} {found.alone[1]}."))
    for title, rows in (("Where they differ", found.differences), ("Bonus and penalty", found.rulings)):
        if rows:
            blocks += [Heading(title), _differences(found, rows)]
    return Document(f"{found.one} and {found.other}", tuple(blocks))


def _kappa(kappa: Kappa | None) -> str:
    if kappa is None:
        return "cannot be computed: both gave one and the same mark throughout"
    return f"{kappa.value:.2f} ({kappa.level:.0%} interval {kappa.low:.2f} to {kappa.high:.2f})"


def _counts(found: TwoOpinions) -> Table:
    heads = [f"{found.one} ↓ {found.other} →", *(Column(SYMBOLS[mark], align="right") for mark in MARKS)]
    return table(heads, [(SYMBOLS[mark], *map(count, row)) for mark, row in zip(MARKS, found.counts, strict=True)])


def _differences(found: TwoOpinions, rows: tuple[Difference, ...]) -> Table:
    return table(["Run", "What", found.one, found.other], rows)


def agreement_data(found: TwoOpinions) -> dict[str, Any]:
    """The same as `audit-agreement.schema.json` describes it."""
    return {
        "schema_version": 1,
        "kind": "audit-agreement",
        "one": found.one,
        "other": found.other,
        "cells": found.cells,
        "alike": found.alike,
        "kappa": None if found.kappa is None else asdict(found.kappa),
        "weighted_kappa": None if found.weighted is None else asdict(found.weighted),
        "counts": [list(row) for row in found.counts],
        "differences": [each._asdict() for each in found.differences],
        "rulings": [each._asdict() for each in found.rulings],
        "alone": list(found.alone),
    }
