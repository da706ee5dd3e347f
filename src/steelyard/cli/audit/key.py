"""`steelyard audit key`, `steelyard audit sheet` and `steelyard audit ask`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard import api, artifact
from steelyard.cli.audit.options import FILE, key_option, perspective_option, run_option
from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, note, width

if TYPE_CHECKING:
    from steelyard.audit.key import KeyForm


@click.command()
@click.argument("path", metavar="KEY", type=FILE)
@click.option("--format", "form", type=click.Choice(["md", "yaml"]), help="Print the key in this form instead.")
def key(path: Path, form: KeyForm | None) -> Exit:
    """Check an answer key and show it; --format converts it without loss.

    \b
    Example:
      steelyard audit key key.md
      steelyard audit key key.md --format yaml > key.yaml
    """
    from steelyard.audit.key import key_text
    from steelyard.audit.report.key import key_document
    from steelyard.report import terminal

    checked = api.audit_key(path)
    for warning in checked.warnings:
        note(f"warning: {warning}")
    if form is not None:
        click.echo(key_text(checked, form), nl=False)
    else:
        click.echo(terminal.render(key_document(checked, path.name), width=width(), colour=colour()), nl=False)
    return Exit.FINE


@click.command()
@click.argument("log", required=False, metavar="[LOG]")
@key_option
@run_option
@perspective_option
@click.option("-o", "--output", "target", type=FILE, metavar="FILE", help="Write the sheet here instead of stdout.")
def sheet(log: str | None, runs: tuple[Path, ...], target: Path | None, **files: Path | None) -> Exit:
    """Write the blank sheet on which a person marks runs: clear candidates first, likely findings filled in.

    \b
    Example:
      steelyard audit sheet --key key.md --run run1.md --run run2.md -o sheet.yaml
      steelyard audit score --key key.md --run run1.md --run run2.md \\
        --marks sheet.yaml
    """
    return _written(api.audit_sheet(runs=runs, log=log, **files), target, "sheet")


@click.command()
@click.argument("log", required=False, metavar="[LOG]")
@key_option
@run_option
@perspective_option
@click.option("--document", type=FILE, metavar="FILE", help="The audited document.")
@click.option("-o", "--output", "target", type=FILE, metavar="FILE", help="Write the questions here, not to stdout.")
def ask(log: str | None, runs: tuple[Path, ...], target: Path | None, **files: Path | None) -> Exit:
    """Write the questions about runs as one text to paste into any chat; proposals by words, unsure ones first.

    \b
    Example:
      steelyard audit ask --key key.md --run run1.md --run run2.md \\
        --document doc.md -o questions.txt
      steelyard audit score --key key.md --run run1.md --run run2.md \\
        --document doc.md --verdict reply.txt
    """
    return _written(api.audit_ask(runs=runs, log=log, **files), target, "questions")


def _written(text: str, target: Path | None, what: str) -> Exit:
    if target is None:
        click.echo(text, nl=False)
    else:
        artifact.write_text(target, text)
        note(f"{what}: {target}")
    return Exit.FINE
