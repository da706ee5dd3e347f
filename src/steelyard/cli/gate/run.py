"""`steelyard gate run` and `steelyard gate example`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.gate.output import report, report_family, report_options
from steelyard.cli.options import index_option, note, on_terminal
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of
from steelyard.errors import InputError


@click.command()
@options_of(api.GateRun)
@index_option
@click.option("--dry-run", is_flag=True, help="Show what would run; with --engine, the commands.")
@report_options
def run(spec: api.GateRun, dry_run: bool, **out: Any) -> Exit:
    """Run the tasks under two configurations and compare the results.

    Both arms run side by side, round by round. Runs that are already in --log-dir are not repeated. Several --agent or
    --model make one answer for all of them. Exit 0 (improved, neutral, or both sides are the same), 1 (regressed,
    mixed), 2 (no verdict) or 3 (undecided).

    \b
    Example:
      steelyard gate run --tasks tasks --baseline git:main --candidate . \\
        --agent claude-code
      steelyard gate run --tasks tasks --baseline old --candidate new \\
        --agent codex --policy adaptive --question safe
      steelyard gate run --settings steelyard.yaml --agent codex \\
        --agent claude-code --markdown comment.md
      steelyard gate run --skill .claude/skills/changelog \\
        --agent claude-code --model anthropic/claude-sonnet-5-5
    """
    from steelyard.gate.blame.hint import hint
    from steelyard.gate.family import Family, Member, member_runs
    from steelyard.gate.run import Shared
    from steelyard.gate.run.preview import dry_run as preview

    sides, engine = spec.members(), spec.chosen_engine()
    if spec.skill and len(sides) > 1:
        raise InputError("--skill is tested with one agent at a time", cure="name one with --agent")
    runs = [side.resolved() for side in sides]
    if dry_run:
        shown = on_terminal(preview(api.gate_plan(runs[0]))) if engine is None else api.gate_preview(runs[0], engine)
        click.echo(shown, nl=False)
        return Exit.FINE
    with Bars() as bars:
        for line in runs[0].notes if spec.skill else ():
            bars.note(f"! {line}")
        start = partial(api.gate_run, engine=engine, notify=bars.note, progress=bars.tell)
        if len(runs) > 1:
            members = tuple(Member(name, start(run)) for name, run in member_runs(runs).items())
            return report_family(Family(members, runs[0].policy.alpha), out)
        try:
            weighed = start(runs[0])
        except Shared as end:
            click.echo(str(end))
            return Exit.FINE
    code = report(weighed, out)
    if (cause := hint(runs[0], weighed)) is not None:
        note(cause)
    return code


@click.command()
@options_of(api.GateExample)
@click.option("--copy", type=click.Path(path_type=Path), help="Only copy the example to this new folder.")
@report_options
def example(spec: api.GateExample, copy: Path | None, **out: Any) -> Exit:
    """Run the shipped example: five small tasks, a deterministic agent, no network.

    \b
    Example:
      steelyard gate example
      steelyard gate example --candidate risky --html gate.html
    """
    from steelyard.errors import command

    if copy is not None:
        api.gate_example_copy(copy)
        words = command("steelyard", "gate", "run", "--settings", copy / "steelyard.yaml")
        click.echo(f"copied the example to {copy}; try: {words}")
        return Exit.FINE
    return report(api.gate_example(replace(spec, notify=note)), out)
