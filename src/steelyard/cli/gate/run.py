"""`steelyard gate run` and `steelyard gate example`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from steelyard.cli.engine import chosen_engine, engine_options
from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import (
    agent_options,
    ledger_option,
    log_dir_option,
    minutes_option,
    settings_option,
    store_option,
    tasks_option,
    threshold_option,
)
from steelyard.cli.gate.output import report, report_options
from steelyard.cli.gate.policy import policy_options
from steelyard.cli.gate.skill import run_skill, skill_options
from steelyard.cli.judging import judge_options
from steelyard.cli.options import Place, colour, index_option, note, rare, width
from steelyard.cli.progress import Bars
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.location import Location

LOG_DIR = Path("logs/gate")

Candidate = Literal["better", "neutral", "risky"]


@click.command()
@tasks_option
@click.option("--baseline", metavar="CONFIG", help="As it is: a folder, git:REF[:PATH], none, or stored[:CONFIG].")
@click.option("--candidate", metavar="CONFIG", help="The configuration as it would be: a folder or git:REF[:PATH].")
@rare("--baseline-log", metavar="LOGS", help="Reuse an earlier baseline with the same fingerprint.")
@rare("--base", metavar="REF", help="Git ref whose settings and tasks count: the base of a pull request.")
@skill_options
@partial(agent_options, several=True)
@click.option("--rounds", "--epochs", "epochs", type=click.IntRange(1, 1000), help="Rounds of both arms [default: 1].")
@policy_options
@rare("--seed", type=int, help="Shuffles the order of the arms; recorded.")
@log_dir_option(LOG_DIR)
@store_option
@ledger_option
@index_option
@minutes_option
@threshold_option
@settings_option
@engine_options
@click.option("--dry-run", is_flag=True, help="Show what would run; with --engine, the commands.")
@judge_options
@report_options
def run(**options: Any) -> Exit:
    """Run the tasks under two configurations and compare the results.

    Both arms run side by side, round by round. Runs that are already in --log-dir are not repeated. Exit 0
    (improved, neutral, or both sides are the same), 1 (regressed, mixed), 2 (no verdict) or 3 (undecided).

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
    from steelyard import api
    from steelyard.cli.gate.family import members, run_family
    from steelyard.cli.gate.options import run_spec
    from steelyard.gate.blame.hint import hint
    from steelyard.gate.run import Shared
    from steelyard.gate.run.preview import dry_run
    from steelyard.gate.settings import load_settings
    from steelyard.report import terminal

    sides = members(options, load_settings(options["settings"]))
    if options["skill"] and len(sides) == 1:
        return run_skill({**options, **sides[0]})
    if options["skill"]:
        raise InputError("--skill is tested with one agent at a time", cure="name one with --agent")
    specs = [run_spec(each) for each in sides]
    spec, engine = specs[0], chosen_engine(options)
    if len(specs) > 1 and not options["dry_run"]:
        with Bars() as bars:
            start = partial(api.gate_run, engine=engine, notify=bars.note, progress=bars.tell)
            return run_family(specs, start, options)
    if options["dry_run"] and engine is not None:
        click.echo(api.gate_preview(spec, engine), nl=False)
        return Exit.FINE
    if options["dry_run"]:
        click.echo(terminal.render(dry_run(api.gate_plan(spec)), width=width(), colour=colour()), nl=False)
        return Exit.FINE
    try:
        with Bars() as bars:
            weighed = api.gate_run(spec, engine=engine, notify=bars.note, progress=bars.tell)
    except Shared as end:
        click.echo(str(end))
        return Exit.FINE
    code = report(weighed, options)
    if (cause := hint(spec, weighed)) is not None:
        note(cause)
    return code


@click.command()
@click.option("--candidate", type=click.Choice(["better", "neutral", "risky"]), default="better", show_default=True,
              help="Which change to weigh.")  # fmt: skip
@click.option("--log-dir", type=Place(), help="Where the logs go [default: logs/gate-example-NAME].")
@click.option("--copy", type=click.Path(path_type=Path), help="Only copy the example to this new folder.")
@report_options
def example(candidate: Candidate, log_dir: Location | None, copy: Path | None, **options: Any) -> Exit:
    """Run the shipped example: five small tasks, a deterministic agent, no network.

    \b
    Example:
      steelyard gate example
      steelyard gate example --candidate risky --html gate.html
    """
    from steelyard import api
    from steelyard.errors import command

    if copy is not None:
        api.gate_example_copy(copy)
        words = command("steelyard", "gate", "run", "--settings", copy / "steelyard.yaml")
        click.echo(f"copied the example to {copy}; try: {words}")
        return Exit.FINE
    return report(api.gate_example(candidate, log_dir=log_dir, notify=note), options)
