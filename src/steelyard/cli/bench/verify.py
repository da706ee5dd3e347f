"""`steelyard bench verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import bars, deliver, output
from steelyard.cli.progress import Bars


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="APP...")
@click.option("--isolation", type=click.Choice(["warm", "strict"]), default="warm", show_default=True,
              help="strict: a fresh worker for every app.")  # fmt: skip
@output("json")
def verify(files: tuple[Path, ...], isolation: Literal["warm", "strict"], json_path: str | None) -> Exit:
    """Check CDK apps written in Python: does each APP synthesize, as `cdk synth` would say?

    An APP is a file, which runs alone as app.py in an empty folder, or a folder with cdk.json (or app.py) and the files
    of an app. They run in a sandbox without network. Exit 0 when all pass, 1 when one fails, 2 when an app cannot be
    read or the engine cannot answer.

    Example: steelyard bench verify app.py my-project --json -
    """
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
