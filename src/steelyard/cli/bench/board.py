"""`steelyard bench board`, `history` and `submit`: what becomes of logs."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from steelyard import api, artifact
from steelyard.api.groups import Boards
from steelyard.cli.bench.output import note_page, report_options, show_board
from steelyard.cli.exit import Exit
from steelyard.cli.options import index_option, note, output, show, take_paths
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


@click.command()
@options_of(api.BenchHistory, rare=("suite", "dataset"))
@output("json", "csv", "markdown", "html")
def history(spec: api.BenchHistory, **out: Any) -> None:
    """Show how models did over published BOARDS (--json), or folders of them, and which scores moved.

    Example: steelyard bench history boards/ --csv history.csv
    """
    from steelyard.bench.report.history import as_json, csv_text, document

    points, suite = api.bench_history(spec), spec.chosen_suite()
    make_json = partial(artifact.json_text, as_json(points, suite))
    show(document(points, suite), take_paths(out), json=make_json, csv=partial(csv_text, points))


@click.command()
@options_of(api.BenchSubmit, rare=("suite", "dataset"))
def submit(spec: api.BenchSubmit) -> None:
    """Make a submission of LOGS for whoever maintains a board: logs, board and versions in one file.

    It holds only the logs that count. Whoever gets it runs `steelyard bench check FILE`, without a network.

    Example: steelyard bench submit logs --out submission.zip
    """
    done = api.bench_submit(spec)
    for warning in done.warnings:
        note(f"! {warning}")
    models = ", ".join(row.model for row in done.board.rows)
    click.echo(f"{done.path}: {models}")
