"""The pictures and tables of the first page that need more than the standings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

from steelyard.bench.model import Board, BoardRow, CategoryResult
from steelyard.report import charts, numbers
from steelyard.report.charts import Mark
from steelyard.report.document import Block, Column, Details, Figure, Paragraph, Table, table

CHARTED = 40
"""Subjects a picture shows."""


def intervals(board: Board) -> Figure:
    """Overall scores with whiskers."""
    rows = [row for row in board.rows if row.overall is not None][:CHARTED]
    marks = [_mark(row) for row in rows]
    caption = (
        "Dot: overall score. Line: 95% interval, drawn for complete rows. Grey: baselines and rows without a rank."
    )
    alt = "Overall scores with intervals; the table above has the numbers"
    return Figure(charts.standings(marks), alt, caption, charts.standings(marks, narrow=True))


def _mark(row: BoardRow) -> Mark:
    ends = (row.interval.low, row.interval.high) if row.interval else (None, None)
    return Mark(row.model, row.overall or 0.0, *ends, muted=row.rank is None)


def heat(board: Board) -> Figure:
    """Subjects × categories."""
    alt = "Scores by category; the table above has the numbers"
    pictures = [_heat(board, narrow=narrow) for narrow in (False, True)]
    return Figure(pictures[0], alt, "The stronger the colour, the higher the score.", pictures[1])


def _heat(board: Board, *, narrow: bool) -> str:
    rows = board.rows[:CHARTED]
    names = {key: category.short if narrow else category.name for key, category in board.suite.categories.items()}
    values = {(row.model, names[key]): result.score for row in rows for key, result in row.results.items()}
    return charts.heat_map([row.model for row in rows], list(names.values()), values, narrow=narrow)


def failures(board: Board) -> list[Block]:
    """How often each class of failure was named, per subject."""
    blocks: list[Block] = []
    for key, category in board.suite.categories.items():
        rows = [(row.model, row.results[key]) for row in board.rows if key in row.results and row.results[key].failures]
        if rows:
            blocks.append(Details(f"{category.name}: {_total(rows)} failed runs with a named cause", (_classes(rows),)))
    return blocks or [Paragraph("No scorer named a class of failure.", "muted")]


def _total(rows: Sequence[tuple[str, CategoryResult]]) -> int:
    return sum(sum(count for name, count in result.failures.items() if name != "passed") for _, result in rows)


def _classes(rows: Sequence[tuple[str, CategoryResult]]) -> Table:
    counts: Counter[str] = Counter()
    for _, result in rows:
        counts.update(result.failures)
    names = [name for name, _ in counts.most_common() if name != "passed"]
    columns = [Column("Model"), *(Column(name.replace("_", " "), "right") for name in names)]
    return table(
        columns, [[model, *(str(result.failures.get(name, 0) or "") for name in names)] for model, result in rows]
    )


def costs(board: Board) -> list[Block]:
    """Tokens and cost against score, with the frontier, and the figures as a table."""
    return [
        *_frontier(board, _per_item, "output tokens", "Output tokens per item", "nobody is better for fewer tokens"),
        *_frontier(
            board,
            lambda row: row.cost_usd,
            "cost",
            "USD for a full run",
            "nobody is better for less; at the stated prices, or as the runs recorded it",
        ),
        _usage(board),
    ]


def _frontier(
    board: Board, amount: Callable[[BoardRow], float | None], what: str, title: str, edge: str
) -> list[Figure]:
    marks = [
        Mark(row.model, row.overall, x=spent, muted=row.rank is None, number=number)
        for number, row in enumerate(board.rows[:CHARTED], 1)
        # A row that lacks a category is cheaper only because it did less.
        if row.overall is not None and not row.missing and (spent := amount(row))
    ]
    if len(marks) < 2:  # a single dot compares nothing
        return []
    caption = f"Dashed: {edge}. Dots without room for names have the numbers of the table below."
    wide, narrow = (charts.frontier(marks, x_title=title, narrow=narrow) for narrow in (False, True))
    return [Figure(wide, f"Score against {what}; the table below has the numbers", caption, narrow)]


def _usage(board: Board) -> Table:
    rows = [[str(number), row.model, *_spent(row)] for number, row in enumerate(board.rows, 1)]
    figures = ("Input tokens", "Output tokens", "USD", "Median per item", "Wall time")
    heads = [Column("No.", "right"), Column("Model"), *(Column(name, "right") for name in figures)]
    caption = (
        "Summed over the runs that count. Median per item: seconds of a run, with scoring, without waiting for the "
        "provider. Wall time: how long at least one run was under way. – means unknown, not 0."
    )
    return table(heads, rows, caption)


def _spent(row: BoardRow) -> list[str]:
    used = [result.usage for result in row.results.values()]
    seconds = [value for result in row.results.values() for value in result.latency.values()]
    return [
        numbers.count(_sum([usage.input_tokens for usage in used])),
        numbers.count(_sum([usage.output_tokens for usage in used])),
        numbers.usd(row.cost_usd),
        numbers.seconds(median(seconds) if seconds else None),
        numbers.seconds(_sum([usage.seconds for usage in used])),
    ]


def _per_item(row: BoardRow) -> float | None:
    written = _sum([result.usage.output_tokens for result in row.results.values()])
    runs = sum(result.scored for result in row.results.values())
    return written / runs if written and runs else None


def _sum(values: Sequence[float | int | None]) -> float | None:
    known = [value for value in values if value is not None]
    # Unknown is not 0: with a part missing, the sum would look small.
    return sum(known) if known and len(known) == len(values) else None
