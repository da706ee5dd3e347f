"""`steelyard audit findings`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.audit.model import Output
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
