"""What moved between two boards, as a document and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.bench.analysis.drift import Move, Reading, verdict
from steelyard.bench.model import OVERALL
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.report import numbers
from steelyard.report.document import Block, Cell, Column, Document, Paragraph, Tone, table

_TONES: dict[Reading, Tone] = {"moved": "bad", "steady": "good", "undecided": "warn"}


def as_json(scores: tuple[Move, ...], suite: Suite = OFFICIAL) -> dict[str, Any]:
    """What moved, as JSON data."""
    return {
        "schema_version": 1,
        "suite": suite.name,
        "verdict": verdict(scores),
        "scores": [asdict(move) for move in scores],
    }


def document(scores: tuple[Move, ...], suite: Suite = OFFICIAL) -> Document:
    """What moved, what did not, and what the items cannot tell."""
    by_reading = {reading: [move for move in scores if move.reading == reading] for reading in _TONES}
    names, moved = len({move.model for move in scores}), len({move.model for move in by_reading["moved"]})
    if moved:
        title = f"{suite.title}: {moved} of {names} models moved"
    elif by_reading["undecided"]:
        title = f"{suite.title}: undecided: {len(by_reading['undecided'])} of {len(scores)} scores may have moved"
    else:
        compared = Paragraph(f"{numbers.things(names, 'model')} compared item by item.", "good")
        return Document(f"{suite.title}: no score has moved", (compared, *_same_runs(scores)))
    columns = ["Model", "What", *(Column(name, "right") for name in ("Before", "Now", "Δ", "95%", "Items")), "Reading"]
    blocks: tuple[Block, ...] = (
        table(columns, [_cells(move, suite) for move in scores]),
        Paragraph(
            "Δ is the mean difference on the same items. moved: the interval excludes 0, corrected for all scores."
        ),
        Paragraph(
            "undecided: neither a move nor its absence within the declared margin is shown; more epochs would tell."
        ),
    )
    if moved:
        blocks = (*blocks, Paragraph("A provider may have changed the model, or the harness may have changed."))
    return Document(title, (*blocks, *_same_runs(scores)))


def _same_runs(scores: tuple[Move, ...]) -> tuple[Block, ...]:
    """The models whose runs on both boards are the same, so that nothing was measured anew."""
    names = dict.fromkeys(move.model for move in scores if move.same_runs)
    return (Paragraph(f"Both boards hold the same runs: {', '.join(names)}", "warn"),) if names else ()


def _cells(move: Move, suite: Suite) -> list[Cell | str]:
    what = "Overall" if move.key == OVERALL else suite.categories[move.key].name
    ends = numbers.UNKNOWN
    if move.low is not None and move.high is not None:
        ends = f"{numbers.signed(move.low, 3)} to {numbers.signed(move.high, 3)}"
    return [
        move.model,
        what,
        numbers.percent(move.before),
        numbers.percent(move.now),
        numbers.signed(move.delta, 3),
        ends,
        numbers.UNKNOWN if move.items is None else numbers.count(move.items),
        Cell(move.reading, _TONES[move.reading]),
    ]
