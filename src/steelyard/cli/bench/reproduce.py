"""`steelyard bench reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.bench.model import Spec
from steelyard.cli.bench.board import board_options
from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, output, width

_ENDS = {"within": Exit.FINE, "outside": Exit.NO, "unanswered": Exit.UNANSWERED}


@click.command()
@click.argument("published", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("logs", nargs=-1, required=True)
@board_options
@output("json", "markdown")
def reproduce(
    published: Path, logs: tuple[str, ...], json_path: str | None, markdown_path: str | None, **options: Any
) -> Exit:
    """Do fresh LOGS agree with the board in PUBLISHED? Ends in 0 (yes), 1 (no) or 2 (cannot tell).

    Example: steelyard bench reproduce board.json logs
    """
    from steelyard import artifact
    from steelyard.bench.analysis import reproduce as law
    from steelyard.bench.board import make_board
    from steelyard.bench.report.data import read_published
    from steelyard.report import markdown, terminal

    found = law.reproduced(read_published(published), make_board(logs, Spec(**options)))
    shown = law.document(found)
    make = {"json": lambda: artifact.json_text(law.as_json(found)), "markdown": lambda: markdown.render(shown)}
    paths = {"json": json_path, "markdown": markdown_path}
    deliver(paths, make, lambda: terminal.render(shown, width=width(), colour=colour()))
    return _ENDS[found.verdict]
