"""`steelyard bench submit`."""

from __future__ import annotations

import click

from steelyard import api
from steelyard.cli.options import note
from steelyard.cli.spec import options_of


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
