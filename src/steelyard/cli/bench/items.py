"""`steelyard bench items`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import board_options, chosen_suite, show, take_paths
from steelyard.cli.options import output


@click.command()
@click.argument("logs", nargs=-1, required=True)
@board_options
@output("json", "csv", "markdown")
def items(logs: tuple[str, ...], **options: Any) -> None:
    """Show per item how often it is solved and how well it separates good from weak subjects.

    Example: steelyard bench items logs --csv items.csv
    """
    from steelyard.bench.report.item_analysis import as_json, csv_text, document

    paths = take_paths(options)
    rows = api.bench_items(logs, **options)
    suite = chosen_suite(options)
    show(document(rows, suite), paths, json=lambda: artifact.json_text(as_json(rows)), csv=lambda: csv_text(rows))
