"""`steelyard audit compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.audit.history import History
from steelyard.cli.audit.options import output_options, show, split
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, note

if TYPE_CHECKING:
    from steelyard.location import Location


_OPINIONS = (".yaml", ".yml", ".md")
"""Endings of sheets and scoring files."""


@click.command()
@click.argument("before", type=Place())
@click.argument("after", type=Place(), required=False)
@click.option("--common", is_flag=True, help="Compare only the documents that both have.")
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 when the mean went down.")
@output_options(History)
def compare(before: Location, after: Location | None, common: bool, fail_if_worse: bool, **options: Any) -> Exit:
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
    if after is None:
        return _history(before, split(options)[1])
    if all(side.suffix in _OPINIONS for side in (before, after)):
        show(api.audit_agree(before, after), split(options)[1])
        return Exit.FINE
    comparison = api.audit_compare(before, after, common=common)
    show(comparison, split(options)[1])
    if fail_if_worse and comparison.band == "worse" and not comparison.undecided:
        return Exit.NO
    return Exit.UNDECIDED if comparison.verdict == "undecided" else Exit.FINE


def _history(folder: Location, paths: dict[str, str | None]) -> Exit:
    scores = api.audit_history(folder)
    for warning in scores.warnings:
        note(f"warning: {warning}")
    show(scores, paths)
    return Exit.FINE
