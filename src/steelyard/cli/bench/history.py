"""`steelyard bench history`."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.options import output, show, take_paths
from steelyard.cli.spec import options_of


@click.command()
@options_of(api.BenchHistory, rare=("suite", "dataset"))
@output("json", "csv", "markdown", "html")
def history(spec: api.BenchHistory, **out: Any) -> None:
    """Show how models did over published BOARDS (--json), or folders of them, and which scores moved.

    Example: steelyard bench history boards/ --csv history.csv
    """
    from steelyard.bench.report.history import as_json, csv_text, document

    points, suite = api.bench_history(spec), spec.chosen_suite()
    make_json = partial(artifact.json_text, as_json(points, suite))
    show(document(points, suite), take_paths(out), json=make_json, csv=partial(csv_text, points))
