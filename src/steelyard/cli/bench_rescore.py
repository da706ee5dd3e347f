"""`steelyard bench rescore`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options, tally
from steelyard.cli.options import note
from steelyard.errors import LogError, SteelyardError

if TYPE_CHECKING:
    from steelyard.bench.rescore import NothingToJudge
    from steelyard.judge.rescore import Rescored


@click.command()
@click.argument("logs", nargs=-1, required=True)
@judge_options
@click.option("--all", "everything", is_flag=True, help="Grade every run again, not only the open ones.")
def rescore(logs: tuple[str, ...], everything: bool, **judge: Any) -> Exit:
    """Grade runs of LOGS that have no score, without asking the model again; old scores stay in the log's history.

    Logs that a judge has no business with are passed over. Ends in 2 while a run is open or could not be graded again.

    Example: steelyard bench rescore logs --judge steelyard/claude-cli
    """
    from steelyard.bench.rescore import NothingToJudge, rescore_log, target_of
    from steelyard.logs.read import find_logs

    judges = chosen_panel(**judge)
    seen: set[str] = set()
    done: list[Rescored] = []
    passed: list[NothingToJudge] = []
    failed = 0
    found = find_logs(logs)
    if not found:
        raise LogError(f"no eval logs in {', '.join(logs)}")
    for path in found:
        try:
            target = os.path.realpath(target_of(path, judges))
            if target not in seen:  # a heuristic log and its judged twin are one target
                seen.add(target)
                done.append(_told(rescore_log(path, judges, everything=everything)))
        except NothingToJudge as reason:
            passed.append(reason)
        except SteelyardError as error:
            failed += 1
            note(f"! {error}")
    if passed and not (done or failed):
        raise passed[0]
    for reason in passed:
        note(f"passed over: {reason.args[0]}")
    return Exit.UNANSWERED if failed or not all(each.finished for each in done) else Exit.FINE


def _told(done: Rescored) -> Rescored:
    click.echo(f"{done.path}: {tally(done)}")
    for reason in done.reasons:
        note(f"  {reason}")
    return done
