"""`steelyard audit suite` and `steelyard audit example`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.audit.model import Result, SuiteResult
from steelyard.cli.audit.fixing import fixer_of, fixer_options
from steelyard.cli.audit.options import FILE, marking_options, output_options, round_option, show, split
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, note, rare

if TYPE_CHECKING:
    from steelyard.location import Location


@click.command()
@click.argument("where", metavar="SUITE|LOG", type=Place())
@click.option("--set", "runs", metavar="NAME", help="Which recorded runs; needed when the suite has several.")
@rare("--name", help="Name of the agent in reports; else the name of the set.")
@round_option
@rare("--partial", is_flag=True, help="Score the documents that have runs; the others are named.")
@marking_options
@fixer_options
@output_options(SuiteResult)
def suite(where: Location, **options: Any) -> Exit:
    """Score the recorded runs of a SUITE folder, or the LOG of a suite: per document and pooled.

    A set that comes with marks is scored by them unless another way to mark is chosen; a log by the scores in it.

    \b
    Example:
      steelyard audit suite my-suite --set careful
      steelyard audit suite my-suite --set careful --lexical --json careful.json
      steelyard audit suite logs/….eval --marks sheet.yaml
    """
    arguments, paths = split(options)
    fixer = fixer_of(arguments)
    if fixer is not None:
        named = {name: arguments[name] for name in ("runs", "name", "round", "partial")}
        show(api.audit_suite_consequence(where, fixer, notify=note, **named), paths)
    else:
        show(api.audit_suite(where, **arguments), paths)
    return Exit.FINE


@click.command()
@click.option("--suite", default="code-review", show_default=True, help="code-review, security-review or agent-review.")
@click.option("--set", "runs", default="hasty", show_default=True, help="Recorded runs: careful or hasty.")
@click.option("--lexical", is_flag=True, help="Mark by words instead of the authors' marks.")
@click.option("--copy", "target", type=FILE, metavar="DIR", help="Copy the suite to DIR, to start your own.")
@output_options(Result)
def example(suite: str, target: Path | None, **options: Any) -> Exit:
    """Score recorded runs of a shipped suite, offline; or copy the suite with --copy.

    \b
    Example:
      steelyard audit example --suite security-review --set careful -o scoring.md
      steelyard audit example --suite code-review --copy my-suite
    """
    if target is not None:
        note(f"suite: {api.audit_example_copy(target, suite)}")
        return Exit.FINE
    arguments, paths = split(options)
    show(api.audit_example(suite, **arguments), paths)
    return Exit.FINE
