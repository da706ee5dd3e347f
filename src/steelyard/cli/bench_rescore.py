"""`steelyard bench rescore`."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options
from steelyard.cli.options import note
from steelyard.errors import LogError, SteelyardError


@click.command()
@click.argument("logs", nargs=-1, required=True)
@judge_options
@click.option("--all", "everything", is_flag=True, help="Grade every run again, not only the open ones.")
def rescore(logs: tuple[str, ...], everything: bool, **judge: Any) -> Exit:
    """Grade runs of LOGS that have no score, without asking the model again; old scores stay in the log's history.

    Example: steelyard bench rescore logs --judge steelyard/claude-cli
    """
    from steelyard.bench.rescore import rescore_log
    from steelyard.logs.read import find_logs

    judges = chosen_panel(*judge.values())
    left = failed = 0
    found = find_logs(logs)
    if not found:
        raise LogError(f"no eval logs in {', '.join(logs)}")
    for path in found:
        try:
            done = rescore_log(path, judges, everything=everything)
        except SteelyardError as error:
            failed += 1
            note(f"! {error}")
            continue
        left += done.open
        click.echo(f"{done.path}: {done.graded} graded, {done.scored} scored, {done.open} open")
        for reason in done.reasons:
            note(f"  {reason}")
    return Exit.UNANSWERED if left or failed else Exit.FINE
