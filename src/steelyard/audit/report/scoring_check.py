"""A scoring file recomputed: its marks, its numbers beside the printed ones, and what does not follow."""

from __future__ import annotations

from typing import Any

from steelyard.audit.model import SYMBOLS
from steelyard.audit.scorings import Scoring
from steelyard.audit.scorings.amounts import Shown
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import UNKNOWN, count, points


def scoring_check_document(scoring: Scoring) -> Document:
    """Recomputed and printed numbers side by side."""
    cells = sum(len(marks) for marks in scoring.marks.values())
    marks = ", ".join(f"{count(scoring.count(mark))} {SYMBOLS[mark]}" for mark in SYMBOLS)
    blocks: list[Block] = [
        Paragraph(
            f"{count(len(scoring.marks))} problems, {count(len(scoring.runs))} runs, {count(cells)} marks: {marks}."
        ),
        table(["", *(Column(name, align="right") for name in ("Printed", "Recomputed"))], _numbers(scoring)),
    ]
    if scoring.mean is None:
        blocks.append(Paragraph("Without a total, or bonus and penalty, of every run there is no mean to recompute."))
    if scoring.faults:
        blocks += [Heading("What does not follow from the marks"), Bullets(scoring.faults)]
    else:
        blocks.append(Paragraph("Every printed number that can be checked follows from the marks.", "good"))
    heads = ["Problem", *(Column(f"Run {number + 1}", align="center") for number in range(len(scoring.runs)))]
    rows = [(name, *(SYMBOLS[mark] for mark in row)) for name, row in scoring.marks.items()]
    return Document(f"Scoring {scoring.source}", (*blocks, Heading("Marks"), table(heads, rows)))


def _numbers(scoring: Scoring) -> list[tuple[Cell | str, ...]]:
    rows: list[tuple[Cell | str, ...]] = []
    for number, run in enumerate(scoring.runs, start=1):
        rows.append((f"Run {number}: detection", _shown(run.printed_detection, ""), points(run.detection)))
        if run.bonus is not None and run.penalty is not None:
            rows.append((f"Run {number}: bonus, penalty", "", f"{count(run.bonus)}, {count(run.penalty)}"))
        rows.append((f"Run {number}: score", _shown(run.printed), _shown(run.score)))
    printed_mean, printed_sd = (_value(shown) for shown in (scoring.printed.mean, scoring.printed.sd))
    rows.append(("Mean", _shown(printed_mean), _shown(scoring.mean)))
    rows.append(("SD (sample)", _shown(printed_sd), _shown(scoring.sd)))
    return [*rows, ("Stability", scoring.printed.stability or UNKNOWN, scoring.stability)]


def _shown(number: float | None, unknown: str = UNKNOWN) -> str:
    return unknown if number is None else points(number)


def _value(shown: Shown | None) -> float | None:
    return None if shown is None else shown.value


def scoring_check_data(scoring: Scoring) -> dict[str, Any]:
    """The same as `audit-import.schema.json` describes it."""
    runs = [
        {name: getattr(run, name) for name in ("detection", "bonus", "penalty", "score", "printed")}
        for run in scoring.runs
    ]
    printed = {"mean": _value(scoring.printed.mean), "sd": _value(scoring.printed.sd)}
    return {
        "schema_version": 1,
        "kind": "audit-import",
        "source": scoring.source,
        "mean": scoring.mean,
        "sd": scoring.sd,
        "stability": scoring.stability,
        "printed": {**printed, "stability": scoring.printed.stability or None},
        "marks": {name: list(marks) for name, marks in scoring.marks.items()},
        "runs": runs,
        "faults": list(scoring.faults),
    }
