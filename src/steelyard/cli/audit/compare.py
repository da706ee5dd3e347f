"""`steelyard audit compare`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api
from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.cli.audit.options import output_options, show
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, take_paths
from steelyard.cli.spec import options_of


@click.command()
@options_of(api.AuditCompare)
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 when the mean went down.")
@output_options(History)
def compare(spec: api.AuditCompare, fail_if_worse: bool, **out: Any) -> Exit:
    """Did the agent get better? BEFORE and AFTER are results (--json), logs, or folders of them.

    Or do two people mark alike? Then they are two sheets (YAML) or two scoring files (Markdown) of the same runs: κ,
    and a table of where they differ; exit 2 if they have no mark in common.

    Exit 3 if the intervals do not decide, or if the marks are estimates (--lexical) whose intervals overlap. One folder
    alone is a history: the scores of every round in it, and what is missed again and again.

    \b
    Example:
      steelyard audit compare round1.json round2.json
      steelyard audit compare logs/before.eval logs/after.eval --fail-if-worse
      steelyard audit compare results --html history.html
      steelyard audit compare anna.yaml ben.yaml
    """
    found = api.audit_compare(spec)
    for warning in found.warnings if isinstance(found, History) else ():
        note(f"warning: {warning}")
    show(found, take_paths(out))
    if not isinstance(found, Comparison):
        return Exit.FINE
    if fail_if_worse and found.band == "worse" and not found.undecided:
        return Exit.NO
    return Exit.UNDECIDED if found.verdict == "undecided" else Exit.FINE
