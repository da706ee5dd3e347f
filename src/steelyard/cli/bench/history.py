"""`steelyard bench history`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import chosen_suite, show, suite_option, take_paths, tasks_option
from steelyard.cli.options import Place, output

if TYPE_CHECKING:
    from pathlib import Path

    from steelyard.location import Location


@click.command()
@click.argument("boards", nargs=-1, required=True, type=Place())
@click.option("--model", help="Only this model.")
@suite_option
@tasks_option
@output("json", "csv", "markdown", "html")
def history(boards: tuple[Location, ...], model: str | None, tasks_file: Path | None, **options: Any) -> None:
    """Show how models did over published BOARDS (--json), or folders of them, and which scores moved.

    Example: steelyard bench history boards/ --csv history.csv
    """
    from steelyard.bench.report.history import as_json, csv_text, document

    paths = take_paths(options)
    options["categories"] = tasks_file
    points = api.bench_history(boards, model=model, **options)
    suite = chosen_suite(options)
    make_json = partial(artifact.json_text, as_json(points, suite))
    show(document(points, suite), paths, json=make_json, csv=partial(csv_text, points))
