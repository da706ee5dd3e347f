"""`steelyard bench reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import board_options, show, take_paths
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, output

_EXITS = {"within": Exit.FINE, "outside": Exit.NO, "unanswered": Exit.UNANSWERED}


@click.command()
@click.argument("published", type=Place())
@click.argument("logs", nargs=-1, required=True)
@board_options
@output("json", "markdown")
def reproduce(published: Path, logs: tuple[str, ...], **options: Any) -> Exit:
    """Do fresh LOGS agree with the board in PUBLISHED? Exit 0 (yes), 1 (no) or 2 (cannot tell).

    Example: steelyard bench reproduce board.json logs
    """
    from steelyard.bench.report.reproduction import as_json, document

    paths = take_paths(options)
    comparison = api.reproduce(published, logs, **options)
    show(document(comparison), paths, json=lambda: artifact.json_text(as_json(comparison)))
    return _EXITS[comparison.verdict]
