"""`steelyard audit findings` and `steelyard audit import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.audit.model import Output
from steelyard.audit.scorings import Scoring
from steelyard.cli.audit.options import FILE, output_options, show, split
from steelyard.cli.exit import Exit


@click.command()
@click.argument("run", metavar="RUN", type=FILE)
@output_options(Output)
def findings(run: Path, **options: Any) -> Exit:
    """Show what is read from RUN, the output of an agent or a scanner: its findings, and what is left out and why.

    \b
    Example:
      steelyard audit findings run1.md
      steelyard audit findings bandit.json --json -
    """
    show(api.audit_findings(run), split(options)[1])
    return Exit.FINE


@click.command("import")
@click.argument("path", metavar="SCORING", type=FILE)
@output_options(Scoring)
def import_scoring(path: Path, **options: Any) -> Exit:
    """Read an existing SCORING file, recompute it from its marks, and say which printed numbers do not follow.

    Exit 0 when all of them follow, 1 when one does not, 2 when the file holds no table of marks.

    Example: steelyard audit import scoring.md
    """
    scoring = api.audit_import(path)
    show(scoring, split(options)[1])
    return Exit.NO if scoring.faults else Exit.FINE
