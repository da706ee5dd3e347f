"""`steelyard bench try`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import Number, bars, deliver, output, rare, show
from steelyard.cli.progress import Bars
from steelyard.errors import InputError
from steelyard.outcome import exact

_OF_ANSWERS = ("dataset", "scorer", "judges", "at_least", "markdown_path")
"""Options that need `--item`."""


@click.command("try")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--item", metavar="ID", help="The item that FILE answers, for example pe-001 or cdk-001.")
@click.option("--items", "dataset", type=click.Path(path_type=Path), metavar="DIR",
              help="A folder with items of your own instead of a suite (docs/own-items.md).")  # fmt: skip
@rare("--scorer", metavar="NAME", help="How to score, where the category has several ways.")
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="An Inspect model that grades; several make a jury."
)
@click.option("--at-least", type=Number(0, 1), metavar="SHARE", help="Exit with 1 if the score is below this.")
@rare("--isolation", type=click.Choice(["warm", "strict"]), default="warm", show_default=True,
              help="Of CDK apps; strict: a fresh kernel for every app.")  # fmt: skip
@output("json", "markdown")
def attempt(
    files: tuple[Path, ...], item: str | None, isolation: Literal["warm", "strict"], json_path: str | None, **rest: Any
) -> Exit:
    """Try one answer to an item, or CDK apps, as the benchmark would.

    With --item, FILE is a whole reply as a model would give it to an item of SA Bench, of its hard suite, or of --items
    DIR. The letters of an exam answer refer to the order in which the choices are shown. Exit 0 when it is scored, 1
    below --at-least, 2 when it cannot be scored.

    Without --item, each FILE is a CDK app in Python: a file, which runs alone as app.py in an empty folder, or a folder
    with cdk.json (or app.py) and the files of an app. They run in a sandbox without network. Exit 0 when all
    synthesize, 1 when one fails, 2 when an app cannot be read or the engine cannot answer.

    \b
    Example:
      steelyard bench try answer.md --item pe-001 --json -
      steelyard bench try app.py my-project
    """
    if item is None:
        if any(rest[name] for name in _OF_ANSWERS):
            raise InputError("only an answer to an item has a score", cure="name the item with --item ID")
        return _apps(files, isolation, json_path)
    if len(files) != 1:
        raise InputError("several files and one item", cure="give one answer to --item")
    return _answer(*files, item, json_path, **rest)


def _answer(
    file: Path, item: str, json_path: str | None, markdown_path: str | None, at_least: float | None, **options: Any
) -> Exit:
    from steelyard.bench.report.item import as_json, document

    result = api.bench_score(item, file, **options)
    paths = {"json": json_path, "markdown": markdown_path}
    show(document(result), paths, json=lambda: artifact.json_text(as_json(result)))
    if result.score is None:
        return Exit.UNANSWERED
    return Exit.NO if at_least is not None and exact(result.score) < exact(at_least) else Exit.FINE


def _apps(files: tuple[Path, ...], isolation: Literal["warm", "strict"], json_path: str | None) -> Exit:
    from steelyard.bench.report.verdicts import as_json, text

    if bars() and len(files) > 1:
        with Bars() as progress:
            verdicts = api.verify_files(files, isolation=isolation, progress=progress.tell)
    else:
        verdicts = api.verify_files(files, isolation=isolation)
    named = [(str(file), verdict) for file, verdict in zip(files, verdicts, strict=True)]
    deliver({"json": json_path}, {"json": lambda: artifact.json_text(as_json(named))}, lambda: text(named))
    if any(verdict.engine_error for verdict in verdicts):
        return Exit.UNANSWERED
    return Exit.FINE if all(verdict.passed for verdict in verdicts) else Exit.NO
