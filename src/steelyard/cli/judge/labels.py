"""`steelyard judge labels`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard import api, artifact
from steelyard.cli.judge.options import FILE


@click.command()
@click.option("--out", type=FILE, metavar="PATH", help="Where to write the set; default: stdout.")
def labels(out: Path | None) -> None:
    """Build the labelled set for architecture answers: true and false answers to every task, and attacks on them.

    \b
    Example:
      steelyard judge labels --out labels.jsonl
    """
    lines = api.labels()
    if out is None:
        click.echo(lines, nl=False)
    else:
        artifact.write_text(out, lines)
