"""`steelyard gate run --skill`: what a skill adds, and whether it is activated where it should be and only there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.output import report
from steelyard.cli.options import rare
from steelyard.cli.progress import Bars
from steelyard.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

FOLDER = click.Path(path_type=Path)


def skill_options(function: F) -> F:
    """Add `--skill`, and what a run of a skill may be told."""
    for add in (
        rare("--count-cost", is_flag=True, help="With --skill: let cost move the score; it is shown in any case."),
        rare("--evals", type=FOLDER, help="With --skill: its file of evals [default: evals/evals.json]."),
        rare("--scope", type=click.Choice(["isolated", "whole"]), default="isolated", show_default=True,
             help="With --skill: it alone, or with the plugin or folder it comes in."),
        click.option("--skill", type=FOLDER, metavar="DIR", help="Test this skill against none, or --baseline."),
    ):  # fmt: skip
        function = add(function)
    return function


def run_skill(options: dict[str, Any]) -> Exit:
    """Run each prompt of the skill's evals, or each task, with the skill and without it."""
    from steelyard import api
    from steelyard.cli.gate.options import run_spec

    if options["candidate"]:
        raise InputError("--skill is what is tested; there is no other candidate", cure="leave out --candidate")
    agent = options["agent"] or "claude-code"
    inputs = api.gate_skill(
        options["skill"], options["log_dir"], agent=agent, scope=options["scope"],
        baseline=options["baseline"] or "none", tasks=options["tasks"], evals=options["evals"],
    )  # fmt: skip
    fixed = {"tasks": inputs.tasks, "baseline": inputs.baseline, "candidate": inputs.candidate, "agent": agent}
    spec = inputs.applied(run_spec({**options, **fixed}), count_cost=options["count_cost"])
    with Bars() as bars:
        for line in inputs.notes:
            bars.note(f"! {line}")
        weighed = api.gate_run(spec, notify=bars.note, progress=bars.tell)
    return report(weighed, options)
