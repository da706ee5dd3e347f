"""`steelyard bench board`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.cli.bench.output import board_options, check_page, report_options, show_board, take_paths, write_page
from steelyard.cli.exit import Exit


@click.command()
@click.argument("logs", nargs=-1, required=True)
@board_options
@report_options
@click.option("--reveal", is_flag=True, help="Show reference answers on the page.")
def board(logs: tuple[str, ...], html_folder: Path | None, reveal: bool, **options: Any) -> Exit:
    """Make a leaderboard from LOGS: folders, files or globs.

    Example: steelyard bench board logs --html page --json board.json
    """
    paths = take_paths(options)
    check_page(html_folder)
    leaderboard = api.leaderboard(logs, **options)
    write_page(leaderboard, html_folder, reveal=reveal)
    show_board(leaderboard, paths)
    return Exit.FINE if any(row.overall is not None for row in leaderboard.rows) else Exit.UNANSWERED
