"""`steelyard rescore`: grades for runs that have none, in logs of every wing."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_arguments, judge_options, rescore_each
from steelyard.cli.options import rare
from steelyard.errors import JudgeError, LogError

if TYPE_CHECKING:
    from steelyard.judge.panel import Panel
    from steelyard.logs.rescore import Rescored

    Grade = Callable[[str], Rescored | None]


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--all", "everything", is_flag=True, help="Grade every run again, not only those without a score.")
@rare("--baseline-log", multiple=True, metavar="LOGS", help="For pairwise judging [default: beside each log].")
@judge_options
def rescore(logs: tuple[str, ...], everything: bool, baseline_log: tuple[str, ...], **options: Any) -> Exit:
    """Grade the runs in LOGS that have no score; no model or agent is asked again.

    LOGS are of the bench, the audit or the gate. Old scores stay in the log's history. Logs in which a judge has
    nothing to grade are skipped. Exit 2 while a run has no score.

    \b
    Example:
      steelyard rescore logs --judge anthropic/claude-sonnet-5-5
    """
    from steelyard.logs.read import read_log

    panel = chosen_panel(**options)
    wings = {
        "bench": _bench(everything, panel),
        "audit": _audit(everything, panel),
        "gate": _gate(everything, baseline_log, options),
    }

    def grade(path: str) -> Rescored | None:
        stamp = read_log(path).stamp
        if stamp is None or stamp.wing not in wings:
            raise LogError(f"{path} is not a log of Steelyard, or has no stamp")
        return wings[stamp.wing](path)

    return rescore_each(logs, grade)


def _bench(everything: bool, panel: Panel | None) -> Grade:
    from steelyard.bench.rescore import target_of

    graded: set[str] = set()

    def grade(path: str) -> Rescored | None:
        target = os.path.realpath(target_of(path, panel))
        if target in graded:  # a heuristic log and its judged copy have one target
            return None
        done = api.bench_rescore(path, everything=everything, **judge_arguments(panel))
        graded.add(target)
        return done

    return grade


def _audit(everything: bool, panel: Panel | None) -> Grade:
    def grade(path: str) -> Rescored:
        if panel is None:
            raise JudgeError("no judge is named", cure="--judge NAME")
        return api.audit_rescore(path, everything=everything, **judge_arguments(panel))

    return grade


def _gate(everything: bool, baseline: tuple[str, ...], options: dict[str, Any]) -> Grade:
    @cache
    def arguments() -> dict[str, Any]:
        required: dict[str, Any] = {**options, "require_judge": True}
        return judge_arguments(chosen_panel(**required, default="auto"))

    return lambda path: api.gate_rescore(path, everything=everything, baseline=baseline, **arguments())
