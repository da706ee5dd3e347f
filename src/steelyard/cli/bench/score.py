"""`steelyard bench score`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import dataset_option, show
from steelyard.cli.exit import Exit
from steelyard.cli.options import Number, output
from steelyard.outcome import exact


@click.command()
@click.argument("answer", type=click.Path(path_type=Path), metavar="ANSWER.md")
@click.option("--item", required=True, metavar="ID", help="Which item it answers, for example pe-001 or cdk-001.")
@dataset_option
@click.option("--scorer", metavar="NAME", help="How to score, where the category has several ways.")
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="An Inspect model that grades; several make a jury."
)
@click.option("--at-least", type=Number(0, 1), metavar="SHARE", help="Exit with 1 if the score is below this.")
@output("json", "markdown")
def score(
    answer: Path,
    item: str,
    dataset: Path | None,
    scorer: str | None,
    judges: tuple[str, ...],
    at_least: float | None,
    json_path: str | None,
    markdown_path: str | None,
) -> Exit:
    """Score one answer to one item of SA Bench, of its hard suite, or of --dataset DIR, and say why.

    ANSWER.md is the whole reply as a model would give it. The letters of an exam answer refer to the order in which the
    choices are shown. Exit 0 when it is scored, 1 below --at-least, 2 when it cannot be scored.

    Example: steelyard bench score --item pe-001 answer.md --json -
    """
    from steelyard.bench.report.item import as_json, document

    result = api.bench_score(item, answer, dataset=dataset, scorer=scorer, judges=judges)
    paths = {"json": json_path, "markdown": markdown_path}
    show(document(result), paths, json=lambda: artifact.json_text(as_json(result)))
    if result.score is None:
        return Exit.UNANSWERED
    return Exit.NO if at_least is not None and exact(result.score) < exact(at_least) else Exit.FINE
