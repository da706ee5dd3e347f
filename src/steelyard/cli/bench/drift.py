"""`steelyard bench drift`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, output, width

_BOARD = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("earlier", type=_BOARD)
@click.argument("later", type=_BOARD)
@output("markdown")
def drift(earlier: Path, later: Path, markdown_path: str | None) -> Exit:
    """Has a score on the LATER board left the interval the EARLIER one gave it? Ends in 1 when one has.

    Example: steelyard bench drift yesterday.json today.json --markdown issue.md
    """
    from steelyard.bench.analysis.drift import document, moves
    from steelyard.report import markdown, terminal

    found = moves(earlier, later)
    shown = document(found)
    make = {"markdown": lambda: markdown.render(shown)}
    deliver({"markdown": markdown_path}, make, lambda: terminal.render(shown, width=width(), colour=colour()))
    return Exit.NO if any(move.left for move in found) else Exit.FINE
