"""`steelyard bench diff`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import board_options, show, take_paths
from steelyard.cli.options import output, rare


@click.command()
@click.argument("a")
@click.argument("b")
@click.argument("logs", nargs=-1)
@board_options
@click.option("--model", help="The model to compare, when A and B are boards with several.")
@rare("--reveal", is_flag=True, help="Show the ceiling's answers too, which are the references.")
@output("json", "markdown", "html")
def diff(a: str, b: str, logs: tuple[str, ...], **options: Any) -> None:
    """Show which items flipped from A to B, with both answers: two models of LOGS, or two boards or log folders.

    Example: steelyard bench diff steelyard/floor steelyard/ceiling logs
    """
    from steelyard.bench.report.difference import SHOWN, as_json, document

    paths = take_paths(options)
    difference = api.bench_diff(a, b, logs, **options)
    brief = document(difference, shown=SHOWN)
    show(document(difference), paths, brief=brief, json=lambda: artifact.json_text(as_json(difference)))
