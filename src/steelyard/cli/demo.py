"""`steelyard demo`: see all of it run offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, note, width
from steelyard.cli.progress import Bars

if TYPE_CHECKING:
    from steelyard.report.document import Document


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("steelyard-demo"),
              show_default=True, help="Folder for page, JSON and logs; start again with it to continue.")  # fmt: skip
def demo(out: Path) -> Exit:
    """Weigh the embedded subjects: one gate, one audit, the full bench. No key, no network.

    The verdicts of the gate and the audit come within seconds, the board in about two minutes on two quiet cores. It
    can be killed and started again.

    \b
    Example:
      steelyard demo --out steelyard-demo
    """
    note("gate and audit in seconds, the board in about two minutes on two quiet cores; finished parts are kept")
    with Bars() as bars:
        result = api.demo(out, notify=bars.note, progress=bars.tell, show=lambda document: bars.print(_text(document)))
    for line in result.left_out:
        note(f"left out: {line}")
    for problem in result.problems:
        note(f"! {problem}")
    click.echo(f"Open {result.page.resolve()}")
    return Exit.UNANSWERED if result.problems else Exit.FINE


def _text(document: Document) -> str:
    from steelyard.report import terminal

    return terminal.render(document, width=width(), colour=colour())
