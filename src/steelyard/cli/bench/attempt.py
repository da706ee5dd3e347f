"""`steelyard bench try` and `steelyard bench new`: answers, and items of your own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import Number, bars, deliver, note, output, show, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of
from steelyard.errors import InputError, command
from steelyard.outcome import exact


@click.command("try")
@options_of(api.BenchApps)
@options_of(api.BenchScore)
@click.option("--at-least", type=Number(0, 1), metavar="SHARE", help="Exit with 1 if the score is below this.")
@output("json", "markdown")
def attempt(files: api.BenchApps, spec: api.BenchScore, at_least: float | None, **out: Any) -> Exit:
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
    paths = take_paths(out)
    if spec.item:
        if len(files.apps) != 1:
            raise InputError("several files and one item", cure="give one answer to --item")
        return _answer(replace(spec, answer=files.apps[0]), at_least, paths)
    if spec != api.BenchScore() or at_least is not None or paths["markdown"] is not None:
        raise InputError("only an answer to an item has a score", cure="name the item with --item ID")
    return _apps(files, paths["json"])


def _answer(spec: api.BenchScore, at_least: float | None, paths: dict[str, str | None]) -> Exit:
    from steelyard.bench.report.item import as_json, document

    result = api.bench_score(spec)
    show(document(result), paths, json=lambda: artifact.json_text(as_json(result)))
    if result.score is None:
        return Exit.UNANSWERED
    return Exit.NO if at_least is not None and exact(result.score) < exact(at_least) else Exit.FINE


def _apps(spec: api.BenchApps, json_path: str | None) -> Exit:
    from steelyard.bench.report.verdicts import as_json, text

    if bars() and len(spec.apps) > 1:
        with Bars() as progress:
            verdicts = api.verify_files(replace(spec, progress=progress.tell))
    else:
        verdicts = api.verify_files(spec)
    named = [(str(app), verdict) for app, verdict in zip(spec.apps, verdicts, strict=True)]
    deliver({"json": json_path}, {"json": lambda: artifact.json_text(as_json(named))}, lambda: text(named))
    if any(verdict.engine_error for verdict in verdicts):
        return Exit.UNANSWERED
    return Exit.FINE if all(verdict.passed for verdict in verdicts) else Exit.NO


@click.command()
@options_of(api.BenchNew)
def new(spec: api.BenchNew) -> None:
    """Write a folder with a bench.yaml and example items, ready to run; nothing is ever overwritten.

    Example: steelyard bench new my-bench
    """
    for path in api.bench_new(spec):
        click.echo(str(path))
    models = ("--model", "steelyard/ceiling", "--model", "steelyard/floor")
    words = ("--items", spec.folder, *models, "--log-dir", f"logs/{spec.folder.name}")
    note(f"try it: {command('steelyard', 'bench', 'run', *words)}")
