"""`steelyard audit key` and `steelyard audit sheet`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, note, width
from steelyard.errors import InputError

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("path", metavar="KEY", type=FILE)
@click.option("--format", "form", type=click.Choice(["md", "yaml"]), help="Print the key in this form instead.")
def key(path: Path, form: str | None) -> Exit:
    """Check an answer key and show it; with --format convert it, losing nothing.

    \b
    Example:
      steelyard audit key key.md
      steelyard audit key key.md --format yaml > key.yaml
    """
    from steelyard.audit.files import read_key
    from steelyard.audit.key import key_text
    from steelyard.audit.report.key import document
    from steelyard.report import terminal

    found = read_key(path)
    for warning in found.warnings:
        note(f"warning: {warning}")
    if form is not None:
        click.echo(key_text(found, "yaml" if form == "yaml" else "md"), nl=False)
    else:
        click.echo(terminal.render(document(found, path.name), width=width(), colour=colour()), nl=False)
    return Exit.FINE


@click.command()
@click.argument("log", required=False, metavar="[LOG]")
@click.option("--key", "key_path", type=FILE, metavar="KEY", help="Answer key; a LOG knows its own.")
@click.option("--run", "run_paths", type=FILE, multiple=True, metavar="RUN", help="Output of one run; give each run.")
@click.option("-o", "--output", "target", type=FILE, metavar="FILE", help="Write the sheet here instead of stdout.")
def sheet(log: str | None, key_path: Path | None, run_paths: tuple[Path, ...], target: Path | None) -> Exit:
    """Make the empty sheet on which a person marks runs: clear candidates first, likely findings filled in.

    \b
    Example:
      steelyard audit sheet --key key.md --run run1.md --run run2.md -o sheet.yaml
      steelyard audit score --key key.md --run run1.md --run run2.md --marks sheet.yaml
    """
    from steelyard import artifact
    from steelyard.audit.files import read_key, read_run
    from steelyard.audit.marking.blank_sheet import blank_sheet
    from steelyard.audit.rescore import log_inputs

    if log is not None:
        text = "".join(blank_sheet(found, outputs) for found, outputs in [log_inputs(log, key_path)])
    elif key_path is None or not run_paths:
        raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
    else:
        text = blank_sheet(read_key(key_path), [read_run(path) for path in run_paths])
    if target is None:
        click.echo(text, nl=False)
    else:
        artifact.write_text(target, text)
        note(f"sheet: {target}")
    return Exit.FINE
