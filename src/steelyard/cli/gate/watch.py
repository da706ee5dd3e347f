"""`steelyard gate watch`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import agent_options, ledger_option, settings_option, store_option, tasks_option
from steelyard.cli.judging import judge_options
from steelyard.cli.options import Number, Place, deliver, note, output, rare

_UNUSED = ("baseline_log", "question", "margin", "min_rounds", "max_rounds", "budget_minutes", "epochs", "seed")
"""Options of `gate run` that a night has no use for."""


@click.command()
@tasks_option
@click.option("--baseline", metavar="CONFIG", help="The configuration to watch: a folder or git:REF[:PATH].")
@click.option("--count", type=click.IntRange(1, 10_000), default=5, show_default=True, help="Tasks to run tonight.")
@rare("--alpha", type=Number(0.001, 0.2), default=0.05, show_default=True, help="Significance level.")
@click.option("--github", metavar="OWNER/NAME", help="Open or update one issue there if the baseline moved.")
@agent_options
@click.option("--log-dir", type=Place(), default=Path("logs/watch"), show_default=True, help="Where the logs go.")
@store_option
@ledger_option
@settings_option
@judge_options
@output("json")
def watch(count: int, github: str | None, **options: Any) -> Exit:
    """Run a few tasks of the baseline and test whether it has moved since it was recorded.

    Exit 0 if it holds, 1 if it moved, 2 if the store has no runs of it.

    \b
    Example:
      steelyard gate watch --settings steelyard.yaml --store s3://bucket/arms \\
        --count 5 --github octo/agent
    """
    from steelyard import api
    from steelyard.cli.gate.options import run_spec
    from steelyard.gate.watch.night import as_json

    alpha = options.pop("alpha")
    fixed = {"candidate": options["baseline"] or "baseline", "thresholds": (), "policy": "contract", "alpha": None}
    spec = run_spec({**options, **dict.fromkeys(_UNUSED), **fixed})
    watched = api.gate_watch(spec, tasks=count, alpha=alpha)
    deliver({"json": options["json_path"]}, {"json": lambda: as_json(watched)}, lambda: f"{watched.line}\n")
    for place in watched.open:
        note(f"marked as not decided when the baseline moved: {place}")
    if github is not None and watched.moved:
        note(f"the issue is {api.gate_watch_issue(watched, github)}")
    return Exit.NO if watched.moved else Exit.FINE
