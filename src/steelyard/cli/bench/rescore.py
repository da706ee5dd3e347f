"""`steelyard bench rescore`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_arguments, judge_options, rescore_each

if TYPE_CHECKING:
    from steelyard.judge.rescore import Rescored


@click.command()
@click.argument("logs", nargs=-1, required=True)
@judge_options
@click.option("--all", "everything", is_flag=True, help="Grade every run again, not only the open ones.")
def rescore(logs: tuple[str, ...], everything: bool, **options: Any) -> Exit:
    """Grade runs of LOGS that have no score, without asking the model again; old scores stay in the log's history.

    Logs of other wings, and of categories that need no judge, are skipped. Exit 2 while a run has no score.

    Example: steelyard bench rescore logs --judge steelyard/claude-cli
    """
    from steelyard.bench.rescore import target_of

    panel = chosen_panel(**options)
    graded: set[str] = set()

    def grade(path: str) -> Rescored | None:
        target = os.path.realpath(target_of(path, panel))
        if target in graded:  # a heuristic log and its judged copy have one target
            return None
        graded.add(target)
        return api.bench_rescore(path, everything=everything, **judge_arguments(panel))

    return rescore_each(logs, grade)
