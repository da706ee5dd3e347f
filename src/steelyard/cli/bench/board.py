"""`steelyard bench board`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api, artifact
from steelyard.api.groups import Boards
from steelyard.cli.bench.output import note_page, report_options, show_board
from steelyard.cli.exit import Exit
from steelyard.cli.options import index_option, show, take_paths
from steelyard.cli.spec import options_of, part
from steelyard.errors import InputError


@click.command()
@options_of(api.BenchBoard)
@click.option("--by", type=click.Choice(["model", "item"]), default="model", show_default=True,
              help="item: how often each item is solved, and how well it tells good from weak.")  # fmt: skip
@index_option
@report_options
def board(spec: api.BenchBoard, by: str, **out: Any) -> Exit:
    """Make a leaderboard from LOGS: folders, files, globs or URLs of them (s3://…).

    \b
    Example:
      steelyard bench board logs --html page --json board.json
      steelyard bench board logs --by item --csv items.csv
    """
    paths = take_paths(out)
    if by == "item":
        return _items(spec, paths)
    leaderboard = api.leaderboard(spec)
    note_page(spec.page)
    show_board(leaderboard, paths)
    return Exit.FINE if any(row.overall is not None for row in leaderboard.rows) else Exit.UNANSWERED


def _items(spec: api.BenchBoard, paths: dict[str, str | None]) -> Exit:
    from steelyard.bench.report.item_analysis import as_json, csv_text, document

    if spec.page is not None or spec.model_facts is not None:
        raise InputError("a table of items has no page", cure="--json, --csv or --markdown")
    rows = api.bench_items(spec.logs, **part(spec, Boards))
    shown = document(rows, spec.chosen_suite())
    show(shown, paths, json=lambda: artifact.json_text(as_json(rows)), csv=lambda: csv_text(rows))
    return Exit.FINE
