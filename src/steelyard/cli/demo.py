"""`steelyard demo`: see all of it run offline."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, note, width
from steelyard.cli.progress import Bars


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("steelyard-demo"),
              show_default=True, help="Folder for page, JSON and logs; start again with it to continue.")  # fmt: skip
def demo(out: Path) -> Exit:
    """Weigh the embedded subjects: the full bench, one audit, one gate. No key, no network.

    The first run takes some minutes (a real language model sits an exam); it can be killed and started again.

    \b
    Example:
      steelyard demo --out steelyard-demo
    """
    from steelyard.audit.report.scoring_file import block
    from steelyard.bench.report.document import document
    from steelyard.demo import demo as show
    from steelyard.report import terminal

    with Bars() as bars:
        shown = show(out, bars.tell, note)
    for text in (document(shown.board), shown.gate.document):
        click.echo(terminal.render(text, width=width(), colour=colour()))
        if text is not shown.gate.document:
            click.echo(f"Audit: {shown.audit.name}, two runs against an answer key\n\n{block(shown.audit)}")
    for problem in shown.problems:
        note(f"! {problem}")
    click.echo(f"Open {shown.page.resolve()}")
    return Exit.UNANSWERED if shown.problems else Exit.FINE
