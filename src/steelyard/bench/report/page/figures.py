"""The pictures and tables of the first page that need more than the standings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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
    return Figure(charts.standings(marks), "Overall scores with intervals; the table above has the numbers", caption)


def _mark(row: BoardRow) -> Mark:
    ends = (row.interval.low, row.interval.high) if row.interval else (None, None)
    return Mark(row.model, row.overall or 0.0, *ends, muted=row.rank is None)


def heat(board: Board) -> Figure:
    """Subjects × categories."""
    rows = board.rows[:CHARTED]
    values = {
        (row.model, category.name): row.results[key].score
        for row in rows
        for key, category in board.suite.categories.items()
        if key in row.results
    }
    names = [category.name for category in board.suite.categories.values()]
    svg = charts.heat_map([row.model for row in rows], names, values)
    return Figure(
        svg, "Scores by category; the table above has the numbers", "The stronger the colour, the higher the score."
    )


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
    blocks: list[Block] = []
    spent = [(row, _per_item(row)) for row in board.rows if row.overall is not None and not row.missing]
    marks = [Mark(row.model, row.overall or 0.0, x=tokens, muted=row.rank is None) for row, tokens in spent if tokens]
    if len(marks) > 1:  # a single dot compares nothing
        caption = "Dashed: nobody is better for fewer tokens. Rows that miss a category are left out."
        svg = charts.frontier(marks[:CHARTED], x_title="Output tokens per item")
        blocks.append(Figure(svg, "Score against output tokens; the table below has the numbers", caption))
    priced = [(row, _cost(row)) for row in board.rows if row.overall is not None and not row.missing]
    dear = [Mark(row.model, row.overall or 0.0, x=cost, muted=row.rank is None) for row, cost in priced if cost]
    if len(dear) > 1:
        svg = charts.frontier(dear[:CHARTED], x_title="USD for a full run")
        blocks.append(
            Figure(svg, "Score against cost; the table below has the numbers", "Prices as the run knew them.")
        )
    return [*blocks, _usage(board)]


def _usage(board: Board) -> Table:
    rows: list[list[str]] = []
    for row in board.rows:
        used = [result.usage for result in row.results.values()]
        read = _sum([usage.input_tokens for usage in used])
        written = _sum([usage.output_tokens for usage in used])
        seconds = _sum([usage.seconds for usage in used])
        rows.append(
            [row.model, numbers.count(read), numbers.count(written), numbers.usd(_cost(row)), numbers.seconds(seconds)]
        )
    heads = ["Model", *(Column(name, "right") for name in ("Input tokens", "Output tokens", "USD", "Wall time"))]
    caption = "Summed over the runs that count; wall time is how long at least one was under way; – is unknown, never 0"
    return table(heads, rows, caption)


def _per_item(row: BoardRow) -> float | None:
    written = _sum([result.usage.output_tokens for result in row.results.values()])
    runs = sum(result.scored for result in row.results.values())
    return written / runs if written and runs else None


def _cost(row: BoardRow) -> float | None:
    costs = [result.usage.cost_usd for result in row.results.values()]
    return None if None in costs or not costs else float(sum(cost or 0.0 for cost in costs))


def _sum(values: Sequence[float | int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
