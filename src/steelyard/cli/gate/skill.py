"""`steelyard gate skill`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import agent_options, settings_option, threshold_option
from steelyard.cli.gate.output import report, report_options
from steelyard.cli.gate.policy import policy_options
from steelyard.cli.judging import judge_options
from steelyard.cli.options import rare
from steelyard.cli.progress import Bars

LOG_DIR = Path("logs/gate-skill")


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@rare("--scope", type=click.Choice(["isolated", "whole"]), default="isolated", show_default=True,
              help="The skill alone, or with the plugin or folder it comes in.")  # fmt: skip
@click.option("--baseline", metavar="CONFIG", default="none", show_default=True,
              help="none, another version of the skill, a folder or git:REF[:PATH].")  # fmt: skip
@rare("--evals", type=click.Path(path_type=Path), help="File of evals [default: evals/evals.json].")
@click.option("--tasks", type=click.Path(path_type=Path), help="Folder of tasks instead of evals.")
@agent_options
@click.option("--rounds", "--epochs", "epochs", type=click.IntRange(1, 1000), help="Rounds of both arms [default: 1].")
@policy_options
@click.option("--log-dir", type=click.Path(path_type=Path), default=LOG_DIR, show_default=True,
              help="Where the logs go; start again with it to continue.")  # fmt: skip
@threshold_option
@click.option("--count-cost", is_flag=True, help="Let cost move the score, as in `gate run`; it is shown in any case.")
@settings_option
@judge_options
@report_options
def skill(path: Path, scope: Any, evals: Path | None, count_cost: bool, **options: Any) -> Exit:
    """Test a skill: what it adds, and whether it is activated where it should be and only there.

    PATH is the folder of a SKILL.md. Each prompt of its evals.json, or each task, runs with the skill and without it.
    Exit 0 (improved or neutral), 1 (regressed or mixed), 2 (no verdict) or 3 (undecided).

    \b
    Example:
      steelyard gate skill .claude/skills/changelog --agent claude-code \\
        --model anthropic/claude-sonnet-5-5
      steelyard gate skill skills/changelog --scope whole --agent codex \\
        --model openai/gpt-5 --rounds 3
    """
    from steelyard import api
    from steelyard.cli.gate.options import run_spec

    inputs = api.gate_skill(
        path, options["log_dir"], agent=options["agent"] or "claude-code", scope=scope, baseline=options["baseline"],
        tasks=options["tasks"], evals=evals,
    )  # fmt: skip
    given = {"agent": "claude-code", **{name: value for name, value in options.items() if value is not None}}
    fixed = {"tasks": inputs.tasks, "baseline": inputs.baseline, "candidate": inputs.candidate}
    absent = dict.fromkeys(("baseline_log", "seed", "budget_minutes"))
    spec = run_spec({**options, **given, **absent, **fixed})
    with Bars() as bars:
        for line in inputs.notes:
            bars.note(f"! {line}")
        weighed = api.gate_run(inputs.applied(spec, count_cost=count_cost), notify=bars.note, progress=bars.tell)
    return report(weighed, options)
