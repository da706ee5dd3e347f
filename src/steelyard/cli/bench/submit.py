"""`steelyard bench submit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.bench.output import scoring_options, suite_option, tasks_option
from steelyard.cli.options import Place, note

if TYPE_CHECKING:
    from pathlib import Path

    from steelyard.location import Location


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--out", required=True, type=Place(), metavar="FILE", help="The file to write; it must not exist yet.")
@suite_option
@tasks_option
@scoring_options
def submit(logs: tuple[str, ...], out: Location, tasks_file: Path | None, **options: Any) -> None:
    """Make a submission of LOGS for whoever maintains a board: logs, board and versions in one file.

    It holds only the logs that count. Whoever gets it runs `steelyard bench check FILE`, without a network.

    Example: steelyard bench submit logs --out submission.zip
    """
    done = api.bench_submit(logs, out, categories=tasks_file, **options)
    for warning in done.warnings:
        note(f"! {warning}")
    models = ", ".join(row.model for row in done.board.rows)
    click.echo(f"{done.path}: {models}")
