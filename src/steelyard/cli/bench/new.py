"""`steelyard bench new`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard import api
from steelyard.cli.options import note
from steelyard.errors import command

KINDS = ["exam", "text", "architecture", "cdk"]


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS),
              help="Which examples to write; repeat it. Default: exam and text.")  # fmt: skip
def new(folder: Path, kinds: tuple[str, ...]) -> None:
    """Write a folder with a bench.yaml and example items, ready to run; nothing is ever overwritten.

    Example: steelyard bench new my-bench
    """
    for path in api.bench_new(folder, kinds):
        click.echo(str(path))
    models = ("--model", "steelyard/ceiling", "--model", "steelyard/floor")
    words = ("--items", folder, *models, "--log-dir", f"logs/{folder.name}")
    note(f"try it: {command('steelyard', 'bench', 'run', *words)}")
