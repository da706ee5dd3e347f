"""`steelyard gate blame`, `steelyard gate prune` and `steelyard gate bisect`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.gate.output import report, report_options
from steelyard.cli.options import index_option, on_terminal, output, show, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of

_RARE = ("model", "budget_usd", "judge", "policy")
"""Fields that stand in the settings of whoever asks these questions."""


@click.command()
@options_of(
    api.GateBlame,
    rare=_RARE,
    omit=("policy", "question", "min_rounds", "max_rounds", "epochs", "base", "baseline_log", "thresholds"),
)
@index_option
@click.option("--dry-run", is_flag=True, help="Only say what it would take.")
@output("json", "markdown", "html")
def blame(spec: api.GateBlame, dry_run: bool, **out: Any) -> Exit:
    """Find which part of a configuration harms, helps, or changes nothing.

    Each run has a random half of the parts, the next run of that task the other half. Says first what it will cost.
    Exit 0 if nothing harms, 1 if something does, 3 if a part could not be answered.

    \b
    Example:
      steelyard gate blame --tasks tasks --baseline git:main --candidate . \\
        --agent claude-code --runs 1020
      steelyard gate blame --tasks tasks --candidate . --parts sections \\
        --pin Safety --agent codex --dry-run
    """
    from steelyard.artifact import json_text
    from steelyard.gate.blame.page import page
    from steelyard.gate.blame.report import SCHEMA, as_json, document, preview

    planned = api.gate_blame_plan(spec)
    size = (planned.margin, planned.runs, planned.most_runs, planned.usd_per_run, planned.finished)
    before = preview(planned.recipe.parts, *size, planned.doubts)
    click.echo(on_terminal(before), nl=False, err=not dry_run)
    if dry_run:
        return Exit.FINE
    with Bars() as bars:
        found = api.gate_blame(replace(spec, notify=bars.note, progress=bars.tell))
    make_json = lambda: json_text(as_json(found), schema=SCHEMA)  # noqa: E731
    show(document(found), take_paths(out), json=make_json, html=lambda: page(found))
    return Exit.NO if found.named("harms") else Exit.UNDECIDED if found.named("cannot tell") else Exit.FINE


@click.command()
@options_of(api.GatePrune, rare=_RARE, omit=("baseline", "candidate", "baseline_log", "epochs", "base"))
@index_option
@report_options
def prune(spec: api.GatePrune, **out: Any) -> Exit:
    """Leave out the parts that harm or change nothing, and test that the rest is no worse.

    One gate run, adaptive and safe, of the pruned configuration against the whole one. Exit codes as of gate run.

    \b
    Example:
      steelyard gate prune logs/blame/blame.json --out pruned --tasks tasks \\
        --agent claude-code
      steelyard gate promote logs/prune/comparison.json --repo . \\
        --blame logs/blame/blame.json --open-pr
    """
    with Bars() as bars:
        weighed = api.gate_prune(replace(spec, notify=bars.note, progress=bars.tell))
    return report(weighed, out)


@click.command()
@options_of(
    api.GateBisect,
    rare=_RARE,
    omit=("baseline", "candidate", "baseline_log", "epochs", "base", "seed", "thresholds", "ledger"),
)
@output("json", "markdown")
def bisect(spec: api.GateBisect, **out: Any) -> Exit:
    """Find the commit that made the configuration worse.

    Each step is an adaptive gate run against the good commit, whose runs are kept and used again. Exit 1 if a commit
    was found, 3 if only a range of them, 0 if the bad commit is not shown to be worse.

    \b
    Example:
      steelyard gate bisect --good v1.2 --bad HEAD --path agent --tasks tasks \\
        --agent claude-code
    """
    from steelyard.artifact import json_text
    from steelyard.gate.blame.bisect import as_json, document

    with Bars() as bars:
        found = api.gate_bisect(replace(spec, notify=bars.note, progress=bars.tell))
    show(document(found), take_paths(out), json=lambda: json_text(as_json(found)))
    return Exit.FINE if not found.culprits else Exit.NO if len(found.culprits) == 1 else Exit.UNDECIDED
