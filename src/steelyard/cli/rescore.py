"""`steelyard rescore`: grades for runs that have none, in logs of every wing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import note
from steelyard.cli.spec import options_of
from steelyard.errors import LogError, SteelyardError

if TYPE_CHECKING:
    from steelyard.logs.rescore import Rescored


@click.command()
@click.argument("logs", nargs=-1, required=True)
@options_of(api.Rescoring, omit=("log",))
def rescore(spec: api.Rescoring, logs: tuple[str, ...]) -> Exit:
    """Grade the runs in LOGS that have no score; no model or agent is asked again.

    LOGS are of the bench, the audit or the gate. Old scores stay in the log's history. Logs in which a judge has
    nothing to grade are skipped. Exit 2 while a run has no score.

    \b
    Example:
      steelyard rescore logs --judge anthropic/claude-sonnet-5-5
    """
    return rescore_each(logs, api.rescorer(spec))


def rescore_each(logs: Sequence[str], grade: Callable[[str], Rescored | None]) -> Exit:
    """Grade every log in `logs`, and report each result before the next log.

    A log of another wing is skipped and a log that fails is named; neither stops the others. `grade` returns None for
    a log that was already graded under another path. It is an error if there is nothing to grade at all.
    """
    from steelyard.logs.read import find_logs
    from steelyard.logs.rescore import NothingToJudge

    paths = find_logs(logs)
    if not paths:
        raise LogError(f"no eval logs in {', '.join(logs)}")
    finished: list[bool] = []
    skipped: list[NothingToJudge] = []
    for path in paths:
        try:
            done = grade(path)
        except NothingToJudge as reason:
            skipped.append(reason)
        except SteelyardError as error:
            finished.append(False)
            note(f"! {error}")
        else:
            if done is not None:
                finished.append(done.finished)
                _report(done)
    if skipped and not finished:
        raise skipped[0]
    for reason in skipped:
        note(f"skipped: {reason.args[0]}")
    return Exit.FINE if all(finished) else Exit.UNANSWERED


def _report(done: Rescored) -> None:
    counts = f"{done.graded} graded, {done.scored} scored, {done.open} open"
    click.echo(f"{done.path}: {counts}{f', {done.kept} keep their earlier score' if done.kept else ''}")
    for reason in done.reasons:
        note(f"  {reason}")
