"""`steelyard audit check`: what is read from a key, a run, a scoring file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.audit.model import Output
from steelyard.audit.scorings import Scoring
from steelyard.cli.audit.options import FILE, output_options, show, split
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, on_terminal
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.audit.key import KeyForm


@click.command()
@click.argument("path", metavar="FILE", type=FILE)
@click.option(
    "--as", "kind", type=click.Choice(["key", "run", "scoring"]), help="Read FILE as this; else its content decides."
)
@click.option("--format", "form", type=click.Choice(["md", "yaml"]), help="Print the key in this form instead.")
@click.option("--prove", is_flag=True, help="Prove the problems of a planted suite, or of one key of it, again.")
@output_options(Output)
def check(path: Path, kind: str | None, form: KeyForm | None, prove: bool, **options: Any) -> Exit:
    """Show what is read from FILE: an answer key, the output of an agent or a scanner, or a scoring file.

    A key is checked against every rule, and --format converts it without loss. Of a run you see its findings, and what
    is left out and why. A file of another program is read as a run, unless you say --as key. A scoring file is
    recomputed from its marks: exit 1 if a printed number does not follow, 2 if it has no table of marks. With --prove,
    FILE is a suite of `audit plant` or a key in it: exit 1 if a proof no longer holds.

    \b
    Example:
      steelyard audit check key.md
      steelyard audit check run1.md --json -
      steelyard audit check expectedresults-1.2.csv --as key \\
        --format yaml > key.yaml
      steelyard audit check scoring.md
      steelyard audit check --prove suite
    """
    if prove:
        return _proved(path)
    kind = kind or ("key" if form is not None or api.audit_is_key(path) else None)
    scoring = _scoring(path, kind)
    if scoring is not None:
        return _recomputed(scoring, split(options)[1])
    if kind == "key":
        _show_key(path, form)
    else:
        show(api.audit_findings(path), split(options)[1])
    return Exit.FINE


def _proved(path: Path) -> Exit:
    from steelyard.audit.plant.report import proof_document

    found = api.audit_prove(path, note)
    click.echo(on_terminal(proof_document(found)), nl=False)
    return Exit.NO if any(one.fault for one in found) else Exit.FINE


def _show_key(path: Path, form: KeyForm | None) -> None:
    from steelyard.audit.key import key_text
    from steelyard.audit.report.key import key_document

    checked = api.audit_key(path)
    for warning in checked.warnings:
        note(f"warning: {warning}")
    if form is not None:
        click.echo(key_text(checked, form), nl=False)
    else:
        click.echo(on_terminal(key_document(checked, path.name)), nl=False)


def _scoring(path: Path, kind: str | None) -> Scoring | None:
    """The file as a scoring file; None if it is said to be something else, or has no table of marks."""
    if kind in ("key", "run"):
        return None
    try:
        return api.audit_import(path)
    except InputError:
        if kind == "scoring":
            raise
        return None


def _recomputed(scoring: Scoring, paths: dict[str, str | None]) -> Exit:
    if scoring.revised:
        note(f"revised in the file, and the last mark counts: {'; '.join(scoring.revised)}")
    show(scoring, paths)
    return Exit.NO if scoring.faults else Exit.FINE
