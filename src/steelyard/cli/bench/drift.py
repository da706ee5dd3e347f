"""`steelyard bench drift`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard import api
from steelyard.cli.bench.output import show
from steelyard.cli.exit import Exit
from steelyard.cli.options import output

_BOARD = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("earlier", type=_BOARD)
@click.argument("later", type=_BOARD)
@output("markdown")
def drift(earlier: Path, later: Path, markdown_path: str | None) -> Exit:
    """Has a score on the LATER board left the interval the EARLIER one gave it? Ends in 1 when one has.

    Example: steelyard bench drift yesterday.json today.json --markdown issue.md
    """
    from steelyard.bench.analysis.drift import document

    moves = api.bench_drift(earlier, later)
    show(document(moves), {"markdown": markdown_path})
    return Exit.NO if any(move.left for move in moves) else Exit.FINE
