"""`steelyard bench board`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from steelyard.bench.model import MIN_COVERAGE, Board, Spec
from steelyard.cli.exit import Exit
from steelyard.cli.options import Number, colour, deliver, note, output, width

LISTED = 12
"""Logs that do not count, named one by one in a terminal."""


def board_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that shape a board; shared by every command that makes one."""
    options = [
        click.option("--min-coverage", type=Number(0, 1), default=MIN_COVERAGE, show_default=True,
                     help="Below this share of scored runs, through our own fault, no number is published."),
        click.option("--pool", is_flag=True, help="Average all complete logs of equal fingerprint."),
        click.option("--scorer", metavar="NAME", help="Which scores count: heuristic, judge, or a scorer's name."),
        click.option("--diagrams", type=click.Choice(["image", "text"]), help="Which diagram mode counts."),
        click.option("--seed", type=int, default=Spec().seed, show_default=True, help="Seed of the rank bootstrap."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@click.argument("logs", nargs=-1, required=True)
@board_options
@output("json", "csv", "markdown")
@click.option("--html", "html_folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Write the page, with its data to download, into DIR.")  # fmt: skip
@click.option("--reveal", is_flag=True, help="Show reference answers on the page.")
def board(logs: tuple[str, ...], html_folder: Path | None, reveal: bool, **options: Any) -> Exit:
    """Make a leaderboard from LOGS: folders, files or globs.

    Example: steelyard bench board logs --html page --json board.json
    """
    from steelyard.bench.board import make_board

    paths = {name: options.pop(f"{name}_path") for name in ("json", "csv", "markdown")}
    if html_folder is not None:
        ready_for_page(html_folder)
    made = make_board(logs, Spec(**options))
    if html_folder is not None:
        write_page(made, html_folder, reveal=reveal)
    show(made, paths)
    return Exit.FINE if any(row.overall is not None for row in made.rows) else Exit.UNANSWERED


def show(made: Board, paths: dict[str, str | None]) -> None:
    """The board to stdout, and to the files asked for."""
    from steelyard.bench.report import data as leaderboard
    from steelyard.bench.report.document import document
    from steelyard.report import markdown, terminal

    make = {
        "json": lambda: leaderboard.json_text(made),
        "csv": lambda: leaderboard.csv_text(made),
        "markdown": lambda: markdown.render(document(made)),
    }
    deliver(paths, make, lambda: terminal.render(document(made, listed=LISTED), width=width(), colour=colour()))


def ready_for_page(folder: Path) -> None:
    """Raise now, not after the work, when no page could be written into `folder`."""
    from steelyard.bench.report.page import check_site

    check_site(folder)


def write_page(made: Board, folder: Path, *, reveal: bool) -> None:
    """The page of a board, and a note on where it stands."""
    from steelyard.bench.report.page import write_site

    note(f"page: {write_site(made, folder, reveal=reveal)}")
