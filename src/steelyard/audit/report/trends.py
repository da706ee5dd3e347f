"""Documents on several results: a comparison or a history."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.audit.compare import Band, Change, Comparison, Verdict
from steelyard.audit.history import History, Series
from steelyard.audit.report.document import DIGEST_ROWS, DIGEST_WARNINGS, warnings
from steelyard.report import charts
from steelyard.report.document import Block, Cell, Column, Document, Figure, Heading, Paragraph, Table, Tone, table
from steelyard.report.numbers import count, percent, points, signed
from steelyard.stats.interval import Interval

_TONE: dict[Verdict, Tone] = {"better": "good", "worse": "bad", "undecided": "warn"}
_WHY: dict[Verdict, str] = {
    "better": "the intervals lie above 0",
    "worse": "the intervals lie below 0",
    "undecided": "an interval includes 0 or cannot be estimated; more runs of both sides would decide",
}
_BANDS: dict[Band, str] = {
    "significant": "above 1.0",
    "moderate": "0.5 to 1.0",
    "noise": "below 0.5",
    "worse": "below 0",
}
"""The declared bands of a change, by its size alone."""
DIGEST_CHANGES = 5
"""Problems in the digest of a comparison."""
_SPARKS = "▁▂▃▄▅▆▇█"


def comparison_document(comparison: Comparison) -> Document:
    """The report on two results."""
    moved = _moved(comparison)
    blocks = [
        *_comparison_head(comparison),
        Heading("Documents"),
        _documents(comparison.documents),
        Heading("Problems that changed"),
        _changes(moved) if moved else Paragraph("None.", "muted"),
        Paragraph(f"{count(len(comparison.changes) - len(moved))} problems did not change.", "muted"),
        *warnings(comparison.warnings),
    ]
    return Document(_comparison_title(comparison), tuple(blocks))


def comparison_digest(comparison: Comparison) -> Document:
    """The report on two results of many documents, short enough for a screen: the largest changes."""
    documents = sorted(comparison.documents, key=lambda row: (-abs(row[2] - row[1]), row[0]))
    moved = sorted(_moved(comparison), key=lambda change: -abs(change.delta))
    rest = [
        f"{count(len(rows) - shown)} more {what}"
        for rows, shown, what in (
            (documents, DIGEST_ROWS, "documents"),
            (moved, DIGEST_CHANGES, "changed problems"),
            (comparison.warnings, DIGEST_WARNINGS, "warnings"),
        )
        if len(rows) > shown
    ]
    blocks = [
        *_comparison_head(comparison),
        Heading("Documents, largest change first"),
        _documents(documents[:DIGEST_ROWS]),
        *([Heading("Problems that changed most"), _changes(moved[:DIGEST_CHANGES])] if moved else []),
        *warnings(comparison.warnings[:DIGEST_WARNINGS]),
        *([Paragraph(f"{', '.join(rest)}: --html PAGE or --json FILE.", "muted")] if rest else []),
    ]
    return Document(_comparison_title(comparison), tuple(blocks))


def _comparison_title(comparison: Comparison) -> str:
    return f"Audit: {comparison.before} against {comparison.after}"


def _moved(comparison: Comparison) -> list[Change]:
    return [change for change in comparison.changes if change.delta]


def _comparison_head(comparison: Comparison) -> list[Block]:
    verdict, delta = comparison.verdict, signed(comparison.delta, 2)
    why = comparison.undecided or _WHY[verdict]
    band = f"Declared band, by size alone: {comparison.band} ({_BANDS[comparison.band]})."
    return [
        Paragraph(f"{verdict.capitalize()}: Δ {delta} points per document; {why}.", _TONE[verdict]),
        Paragraph(band, "muted"),
        Paragraph(f"From the runs: {_interval(comparison.by_runs)}; {comparison.reading}."),
        Paragraph(f"From the problems, detection alone: {_interval(comparison.by_problems)}."),
    ]


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return "no interval can be estimated"
    return f"{signed(interval.estimate, 2)}, 95% interval {signed(interval.low, 2)} to {signed(interval.high, 2)}"


def _documents(documents: Sequence[tuple[str, float, float]]) -> Table:
    heads = ["Document", *(Column(name, align="right") for name in ("Before", "After", "Δ"))]
    rows = [(name, points(old), points(new), signed(new - old, 2)) for name, old, new in documents]
    return table(heads, rows)


def _changes(changes: Sequence[Change]) -> Table:
    heads = [
        Column("Problem", shrink=True),
        "Document",
        "Severity",
        *(Column(name, align="right") for name in ("Before", "After", "Δ")),
    ]
    rows = [
        (
            f"{change.problem.id}: {change.problem.title}",
            change.document,
            change.problem.severity,
            points(change.before),
            points(change.after),
            Cell(signed(change.delta, 2), "good" if change.delta > 0 else "bad"),
        )
        for change in changes
    ]
    return table(heads, rows)


def history_document(history: History, svg: str | None = None) -> Document:
    """The report on scores by round; `svg` is the chart, if there is one."""
    blocks: list[Block] = []
    if svg is not None:
        alt = "Mean score per round, one line per agent and document"
        blocks.append(Figure(svg, alt, "Mean score per round."))
    blocks += [Heading("Rounds"), _rounds(history.series), Heading("Blind spots")]
    if history.blind_spots:
        heads = ["Kind", Column("What", shrink=True), *(Column(name, align="right") for name in ("Missed", "Rounds"))]
        rows = [
            (
                spot.kind,
                spot.what,
                Cell(f"{percent(spot.share, 0)} ({count(spot.missed)}/{count(spot.cells)})", bar=spot.share),
                f"{count(spot.rounds)} of {count(spot.of)}",
            )
            for spot in history.blind_spots
        ]
        blocks.append(table(heads, rows, "Missed by at least half in two rounds or more"))
    else:
        blocks.append(Paragraph("No problem was missed repeatedly, or there is only one round.", "muted"))
    return Document("Audit history", tuple(blocks))


def _rounds(all_series: Sequence[Series]) -> Table:
    heads = ["Agent", "Document", "Course", "Means by round", Column("Latest", align="right"), "Stability"]
    rows: list[Sequence[Cell | str]] = []
    for series in all_series:
        means = [dated.result.mean for dated in series.results]
        latest = series.results[-1].result
        rounds = ", ".join(f"{dated.result.round}: {points(dated.result.mean)}" for dated in series.results)
        rows.append((series.name, series.document, sparkline(means), rounds, points(means[-1]), latest.stability))
    return table(heads, rows)


def sparkline(values: Sequence[float]) -> str:
    """Numbers as a row of bars scaled from lowest to highest; if all are equal, bars of middle height."""
    low, high = min(values), max(values)
    if high - low <= 0:
        return _SPARKS[3] * len(values)
    return "".join(_SPARKS[round((value - low) / (high - low) * (len(_SPARKS) - 1))] for value in values)


def history_chart(history: History, written_at: str = "") -> str:
    """The chart of means by round."""
    means = {
        f"{series.name}: {series.document}": [(dated.result.round, dated.result.mean) for dated in series.results]
        for series in history.series
    }
    return charts.lines(means, x_title="Round", y_title="Mean score")
