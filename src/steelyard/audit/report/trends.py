"""Documents about several results: a comparison, a history."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.audit.compare import Band, Comparison
from steelyard.audit.history import History, Line
from steelyard.audit.report.document import warnings
from steelyard.report import charts
from steelyard.report.document import Block, Cell, Column, Document, Figure, Heading, Paragraph, Table, Tone, table
from steelyard.report.numbers import count, percent, points, signed
from steelyard.stats.interval import Interval

_TONE: dict[Band, Tone] = {"significant": "good", "moderate": "good", "noise": "plain", "worse": "bad"}
_SPARKS = "▁▂▃▄▅▆▇█"


def comparison_document(found: Comparison) -> Document:
    """The report on two results."""
    moved = [each for each in found.changes if each.delta]
    blocks: list[Block] = [
        Paragraph(f"Δ {signed(found.delta, 2)} points per document: {found.band}.", _TONE[found.band]),
        Paragraph(f"From the runs: {_interval(found.by_runs)}; {found.reading}."),
        Paragraph(f"From the problems, detection alone: {_interval(found.by_problems)}."),
        Heading("Documents"),
        _documents(found),
        Heading("Problems that changed"),
        _changes(found) if moved else Paragraph("None.", "muted"),
        Paragraph(f"{count(len(found.changes) - len(moved))} problems did not change.", "muted"),
        *warnings(found.warnings),
    ]
    return Document(f"Audit: {found.before} against {found.after}", tuple(blocks))


def _interval(found: Interval | None) -> str:
    if found is None:
        return "an interval cannot be estimated"
    return f"{signed(found.estimate, 2)}, 95% interval {signed(found.low, 2)} to {signed(found.high, 2)}"


def _documents(found: Comparison) -> Table:
    heads = ["Document", *(Column(name, align="right") for name in ("Before", "After", "Δ"))]
    rows = [(name, points(old), points(new), signed(new - old, 2)) for name, old, new in found.documents]
    return table(heads, rows)


def _changes(found: Comparison) -> Table:
    heads = [
        Column("Problem", shrink=True),
        "Document",
        "Severity",
        *(Column(name, align="right") for name in ("Before", "After", "Δ")),
    ]
    rows = [
        (
            f"{each.problem.id}: {each.problem.title}",
            each.document,
            each.problem.severity,
            points(each.before),
            points(each.after),
            Cell(signed(each.delta, 2), "good" if each.delta > 0 else "bad"),
        )
        for each in found.changes
        if each.delta
    ]
    return table(heads, rows)


def history_document(found: History, svg: str | None = None) -> Document:
    """The report on scores over rounds; `svg` is the chart, where it could be drawn."""
    blocks: list[Block] = []
    if svg is not None:
        alt = "Mean score per round, one line per agent and document"
        blocks.append(Figure(svg, alt, "Mean score per round."))
    blocks += [Heading("Rounds"), _rounds(found.lines), Heading("Blind spots")]
    if found.blind:
        heads = ["Kind", Column("What", shrink=True), *(Column(name, align="right") for name in ("Missed", "Rounds"))]
        rows = [
            (
                each.kind,
                each.what,
                Cell(f"{percent(each.share, 0)} ({count(each.missed)}/{count(each.cells)})", bar=each.share),
                f"{count(each.rounds)} of {count(each.of)}",
            )
            for each in found.blind
        ]
        blocks.append(table(heads, rows, "Missed by at least half in two rounds or more"))
    else:
        blocks.append(Paragraph("Nothing is missed again and again, or there is only one round.", "muted"))
    return Document("Audit history", tuple(blocks))


def _rounds(lines: Sequence[Line]) -> Table:
    heads = ["Agent", "Document", "Course", "Means by round", Column("Latest", align="right"), "Stability"]
    rows: list[Sequence[Cell | str]] = []
    for line in lines:
        means = [entry.result.mean for entry in line.entries]
        latest = line.entries[-1].result
        told = ", ".join(f"{entry.result.round}: {points(entry.result.mean)}" for entry in line.entries)
        rows.append((line.name, line.document, sparkline(means), told, points(means[-1]), latest.stability))
    return table(heads, rows)


def sparkline(values: Sequence[float]) -> str:
    """Numbers as one row of blocks, lowest to highest; equal numbers are all in the middle."""
    low, high = min(values), max(values)
    if high - low <= 0:
        return _SPARKS[3] * len(values)
    return "".join(_SPARKS[round((value - low) / (high - low) * (len(_SPARKS) - 1))] for value in values)


def history_chart(found: History) -> str:
    """The chart of means over rounds."""
    series = {
        f"{line.name}: {line.document}": [(entry.result.round, entry.result.mean) for entry in line.entries]
        for line in found.lines
    }
    return charts.lines(series, x_title="Round", y_title="Mean score")
