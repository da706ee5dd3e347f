"""`steelyard bench rescore`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options, rescore_each

if TYPE_CHECKING:
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
    from steelyard.bench.rescore import rescore_log, target_of

    judges = chosen_panel(**judge)
    seen: set[str] = set()

    def grade(path: str) -> Rescored | None:
        target = os.path.realpath(target_of(path, judges))
        if target in seen:  # a heuristic log and its judged twin are one target
            return None
        seen.add(target)
        return rescore_log(path, judges, everything=everything)

    return rescore_each(logs, grade)
