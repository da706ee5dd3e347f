"""`steelyard audit check`: what is read from a key, a run, a scoring file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.audit.model import Key, Output
from steelyard.audit.scorings import Scoring
from steelyard.cli.audit.options import output_options, show
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, on_terminal, take_paths
from steelyard.cli.spec import options_of

if TYPE_CHECKING:
    from steelyard.audit.key import KeyForm


@click.command()
@options_of(api.AuditCheck)
@click.option("--format", "form", type=click.Choice(["md", "yaml"]), help="Print the key in this form instead.")
@output_options(Output)
def check(spec: api.AuditCheck, form: KeyForm | None, **out: Any) -> Exit:
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
    kind = spec.kind or ("key" if form is not None else None)
    found = api.audit_check(replace(spec, kind=kind, notify=note))
    if isinstance(found, Scoring):
        return _recomputed(found, take_paths(out))
    if isinstance(found, tuple):
        from steelyard.audit.plant.report import proof_document

        click.echo(on_terminal(proof_document(found)), nl=False)
        return Exit.NO if any(one.fault for one in found) else Exit.FINE
    if isinstance(found, Key):
        _show_key(found, spec.path.name, form)
    else:
        show(found, take_paths(out))
    return Exit.FINE


def _show_key(key: Key, name: str, form: KeyForm | None) -> None:
    from steelyard.audit.key import key_text
    from steelyard.audit.report.key import key_document

    for warning in key.warnings:
        note(f"warning: {warning}")
    click.echo(key_text(key, form) if form is not None else on_terminal(key_document(key, name)), nl=False)


def _recomputed(scoring: Scoring, paths: dict[str, str | None]) -> Exit:
    if scoring.revised:
        note(f"revised in the file, and the last mark counts: {'; '.join(scoring.revised)}")
    show(scoring, paths)
    return Exit.NO if scoring.faults else Exit.FINE
