"""`steelyard bench items`."""

from __future__ import annotations

from typing import Any

import click

from steelyard.bench.model import Spec
from steelyard.cli.bench.board import board_options
from steelyard.cli.options import colour, deliver, output, width


@click.command()
@click.argument("logs", nargs=-1, required=True)
@board_options
@output("json", "csv", "markdown")
def items(logs: tuple[str, ...], **options: Any) -> None:
    """Show per item how often it is solved and how well it separates good from weak subjects.

    Example: steelyard bench items logs --csv items.csv
    """
    from steelyard import artifact
    from steelyard.bench.analysis import items as analysis
    from steelyard.bench.board import make_board
    from steelyard.report import markdown, terminal

    paths = {name: options.pop(f"{name}_path") for name in ("json", "csv", "markdown")}
    found = analysis.items(make_board(logs, Spec(**options)))
    make = {
        "json": lambda: artifact.json_text(analysis.as_json(found)),
        "csv": lambda: analysis.csv_text(found),
        "markdown": lambda: markdown.render(analysis.document(found)),
    }
    deliver(paths, make, lambda: terminal.render(analysis.document(found), width=width(), colour=colour()))
