"""`steelyard audit compare` and `steelyard audit history`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.audit.score import FILE
from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, note, output, width
from steelyard.report.document import Document


@click.command()
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@click.option("--fail-if-worse", is_flag=True, help="End in 1 when the mean went down.")
@output("json", "markdown", "html")
def compare(before: Path, after: Path, fail_if_worse: bool, **paths: Any) -> Exit:
    """Did the agent get better? BEFORE and AFTER are results (--json), logs, or folders of them.

    \b
    Example:
      steelyard audit compare round1.json round2.json
      steelyard audit compare logs/before.eval logs/after.eval --fail-if-worse
    """
    from steelyard import artifact
    from steelyard.audit.compare import compare as compared
    from steelyard.audit.report.data import comparison_data
    from steelyard.audit.report.trends import comparison_document
    from steelyard.audit.results import read_results

    found = compared(*([each.result for each in read_results(path)] for path in (before, after)))
    _deliver(
        comparison_document(found), paths, lambda: artifact.json_text(comparison_data(found), schema="audit-comparison")
    )
    return Exit.NO if fail_if_worse and found.band == "worse" else Exit.FINE


@click.command()
@click.argument("folder", metavar="DIR", type=FILE)
@click.option("--svg", "svg_path", type=FILE, metavar="FILE", help="Write the chart as SVG.")
@output("json", "markdown", "html")
def history(folder: Path, svg_path: Path | None, **paths: Any) -> Exit:
    """Scores over rounds from all results and audit logs in DIR, and the blind spots.

    Example: steelyard audit history results --html history.html
    """
    from steelyard import artifact
    from steelyard.audit.history import history as told
    from steelyard.audit.report.data import history_data
    from steelyard.audit.report.trends import history_chart, history_document
    from steelyard.audit.results import read_folder

    entries, problems = read_folder(folder)
    for problem in problems:
        note(f"warning: {problem}")
    found = told(entries)
    svg = history_chart(found) if svg_path or paths["html_path"] else None
    if svg_path is not None and svg is not None:
        artifact.write_text(svg_path, svg)
    _deliver(
        history_document(found, svg), paths, lambda: artifact.json_text(history_data(found), schema="audit-history")
    )
    return Exit.FINE


def _deliver(document: Document, paths: dict[str, Any], json_text: Any) -> None:
    from steelyard.report import html, markdown, terminal

    make = {"json": json_text, "markdown": lambda: markdown.render(document), "html": lambda: html.render(document)}
    wanted = {name: paths[f"{name}_path"] for name in make}
    deliver(wanted, make, lambda: terminal.render(document, width=width(), colour=colour()))
