"""`steelyard audit score`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.audit.model import Result
from steelyard.cli.audit.fixing import fixer_of, fixer_options
from steelyard.cli.audit.options import (
    FILE,
    key_option,
    marking_options,
    output_options,
    perspective_option,
    run_option,
    show,
    split,
)
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, rare
from steelyard.errors import InputError


@click.command()
@click.argument("log", required=False, metavar="[LOG]")
@key_option
@run_option
@perspective_option
@click.option("--document", type=FILE, metavar="FILE", help="The document, for the judge and SARIF.")
@rare("--name", help="Name of the agent in the scoring file.")
@rare("--round", type=click.IntRange(0), help="Round of work on the agent.")
@click.option("--verdict", type=FILE, metavar="REPLY", help="Reply of a chat to `audit mark --as chat`.")
@rare("--verdict-model", default="", metavar="NAME", help="The model that gave this reply, for the record.")
@marking_options
@fixer_options
@output_options(Result)
def score(log: str | None, **options: Any) -> Exit:
    """Score the runs of an agent against an answer key; prints the block, writes the scoring file.

    LOG is a log of `steelyard audit run`; without a way to mark, the scores in it are used. Exit 0 when scored, 2 when
    an input is unusable or the judge left a run without a verdict.

    \b
    Example:
      steelyard audit score --key key.md --run run1.md --run run2.md \\
        --perspective scope.md --name code-reviewer -o scoring.md --lexical
      steelyard audit score --key suite/repository-01/key.md --run run1.md \\
        --marker consequence --fixer claude-code --fixer-model anthropic/NAME
    """
    arguments, paths = split(options)
    runs, fixer = arguments.pop("runs"), fixer_of(arguments)
    if fixer is not None:
        result = _by_consequence(log, runs, fixer, arguments)
    elif log is not None:
        if runs:
            raise InputError("score a LOG or --run files, not both")
        result = api.audit_log(log, **arguments)
    else:
        key = arguments.pop("key")
        if key is None:
            raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
        chosen = {name: value for name, value in arguments.items() if value is not None}
        result = api.audit(key, runs, **chosen)
    show(result, paths)
    return Exit.FINE


def _by_consequence(log: str | None, runs: tuple[Path, ...], fixer: api.Fixer, options: dict[str, Any]) -> Result:
    if log is not None or options["key"] is None:
        raise InputError("--marker consequence scores files against the key of a planted document", cure="--key, --run")
    named = {name: options[name] for name in ("name", "round") if options[name] is not None}
    return api.audit_consequence(options["key"], runs, fixer, notify=note, **named)
