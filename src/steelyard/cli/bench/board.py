"""`steelyard bench board`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.bench.output import board_options, note_page, report_options, show_board, take_paths
from steelyard.cli.exit import Exit
from steelyard.cli.options import rare

if TYPE_CHECKING:
    from steelyard.location import Location


@click.command()
@click.argument("logs", nargs=-1, required=True)
@board_options
@report_options
@rare("--reveal", is_flag=True, help="Show reference answers on the page; implies --transcripts.")
@rare("--transcripts", is_flag=True,
              help="Add Inspect's log viewer to the page, without answer keys and API keys.")  # fmt: skip
@click.option("--model-facts", type=click.Path(path_type=Path), metavar="FILE",
              help="Maker, release, licence, size and price of models (docs/maintaining-a-board.md).")  # fmt: skip
@click.option("--sort", default="overall", show_default=True, metavar="WHAT",
              help="strict, a category, cost, maker, release, licence, size or price.")  # fmt: skip
def board(logs: tuple[str, ...], html_folder: Location | None, reveal: bool, transcripts: bool, **options: Any) -> Exit:
    """Make a leaderboard from LOGS: folders, files, globs or URLs of them (s3://…).

    Example: steelyard bench board logs --html page --json board.json
    """
    paths = take_paths(options)
    leaderboard = api.leaderboard(logs, page=html_folder, reveal=reveal, transcripts=transcripts, **options)
    note_page(html_folder)
    show_board(leaderboard, paths)
    return Exit.FINE if any(row.overall is not None for row in leaderboard.rows) else Exit.UNANSWERED
