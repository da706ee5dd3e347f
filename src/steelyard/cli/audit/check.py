"""`steelyard audit check` and `steelyard audit import`: what is read from a key, a run, a scoring file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.audit.model import Output
from steelyard.audit.scorings import Scoring
from steelyard.cli.audit.options import FILE, output_options, show, split
from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, note, width

if TYPE_CHECKING:
    from steelyard.audit.key import KeyForm


@click.command()
@click.argument("path", metavar="FILE", type=FILE)
@click.option("--as", "kind", type=click.Choice(["key", "run"]), help="Read FILE as this; else its content decides.")
@click.option("--format", "form", type=click.Choice(["md", "yaml"]), help="Print the key in this form instead.")
@click.option("--prove", is_flag=True, help="Prove the problems of a planted suite, or of one key of it, again.")
@output_options(Output)
def check(path: Path, kind: str | None, form: KeyForm | None, prove: bool, **options: Any) -> Exit:
    """Show what is read from FILE: an answer key, or the output of an agent or a scanner.

    A key is checked against every rule, and --format converts it without loss. Of a run you see its findings, and what
    is left out and why. A file of another program is read as a run, unless you say --as key. With --prove, FILE is a
    suite of `audit plant` or a key in it: exit 1 if a proof no longer holds.

    \b
    Example:
      steelyard audit check key.md
      steelyard audit check run1.md --json -
      steelyard audit check expectedresults-1.2.csv --as key \\
        --format yaml > key.yaml
      steelyard audit check --prove suite
    """
    if prove:
        return _proved(path)
    if kind == "run" or (kind is None and form is None and not api.audit_is_key(path)):
        show(api.audit_findings(path), split(options)[1])
    else:
        _show_key(path, form)
    return Exit.FINE


def _proved(path: Path) -> Exit:
    from steelyard.audit.plant.report import proof_document
    from steelyard.report import terminal

    found = api.audit_prove(path, note)
    click.echo(terminal.render(proof_document(found), width=width(), colour=colour()), nl=False)
    return Exit.NO if any(one.fault for one in found) else Exit.FINE


def _show_key(path: Path, form: KeyForm | None) -> None:
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


@click.command("import")
@click.argument("path", metavar="SCORING", type=FILE)
@output_options(Scoring)
def import_scoring(path: Path, **options: Any) -> Exit:
    """Read an existing SCORING file, recompute it from its marks, and say which printed numbers do not follow.

    Exit 0 when all of them follow, 1 when one does not, 2 when the file holds no table of marks.

    Example: steelyard audit import scoring.md
    """
    scoring = api.audit_import(path)
    if scoring.revised:
        note(f"revised in the file, and the last mark counts: {'; '.join(scoring.revised)}")
    show(scoring, split(options)[1])
    return Exit.NO if scoring.faults else Exit.FINE
