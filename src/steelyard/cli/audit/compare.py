"""`steelyard audit compare` and `steelyard audit history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.cli.audit.options import output_options, show, split
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, note

if TYPE_CHECKING:
    from steelyard.location import Location


@click.command()
@click.argument("before", type=Place())
@click.argument("after", type=Place())
@click.option("--common", is_flag=True, help="Compare only the documents that both have.")
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 when the mean went down.")
@output_options(Comparison)
def compare(before: Location, after: Location, common: bool, fail_if_worse: bool, **options: Any) -> Exit:
    """Did the agent get better? BEFORE and AFTER are results (--json), logs, or folders of them.

    Exit 3 if the intervals do not decide, or if the marks are estimates (--lexical) whose intervals overlap.

    \b
    Example:
      steelyard audit compare round1.json round2.json
      steelyard audit compare logs/before.eval logs/after.eval --fail-if-worse
    """
    comparison = api.audit_compare(before, after, common=common)
    show(comparison, split(options)[1])
    if fail_if_worse and comparison.band == "worse" and not comparison.undecided:
        return Exit.NO
    return Exit.UNDECIDED if comparison.verdict == "undecided" else Exit.FINE


@click.command()
@click.argument("folder", metavar="DIR", type=Place())
@output_options(History)
def history(folder: Location, **options: Any) -> Exit:
    """Scores over rounds from all results and audit logs in DIR, and the blind spots.

    Example: steelyard audit history results --html history.html
    """
    scores = api.audit_history(folder)
    for warning in scores.warnings:
        note(f"warning: {warning}")
    show(scores, split(options)[1])
    return Exit.FINE
