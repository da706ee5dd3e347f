"""`steelyard gate blame`, `steelyard gate prune` and `steelyard gate bisect`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from steelyard.cli.judging import judge_options
from steelyard.cli.options import Number, Place, colour, deliver, index_option, output, rare, width
from steelyard.cli.progress import Bars

if TYPE_CHECKING:
    from steelyard.gate.blame.plan import BlameSpec
    from steelyard.location import Location

_UNUSED = ("baseline_log", "policy", "question", "min_rounds", "max_rounds", "epochs", "base")
"""Options of `gate run` that these commands have no use for."""


@click.command()
@tasks_option
@click.option("--candidate", metavar="CONFIG", help="The configuration to take apart: a folder or git:REF[:PATH].")
@click.option("--baseline", metavar="CONFIG", help="What differs from this one is a part, unless --parts is given.")
@click.option("--parts", type=click.Choice(["sections", "lines", "files"]), help="Take the candidate itself apart.")
@rare("--together", multiple=True, metavar="A,B", help="Parts that stand together, by name; repeatable.")
@rare("--pin", multiple=True, metavar="NAME", help="A part that stays, or a pattern of names; repeatable.")
@click.option("--margin", type=Number(0.01, 1), help="Smallest effect to tell from none [default: 0.1].")
@click.option("--runs", type=click.IntRange(1), help="Runs that may be spent [default: what --margin takes].")
@rare("--usd-per-run", type=Number(min=0, min_open=True), help="What a run costs, to know the price before.")
@rare("--alpha", type=Number(0.001, 0.2), help="Significance level [default: 0.05].")
@agent_options
@rare("--seed", type=int, help="Draws the halves; recorded.")
@log_dir_option(Path("logs/blame"))
@store_option
@ledger_option
@index_option
@minutes_option
@settings_option
@engine_options
@click.option("--dry-run", is_flag=True, help="Only say what it would take.")
@judge_options
@output("json", "markdown", "html")
def blame(**options: Any) -> Exit:
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
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.blame.page import page
    from steelyard.gate.blame.report import SCHEMA, as_json, document, preview
    from steelyard.report import markdown, terminal

    engine = chosen_engine(options)
    spec = _blame_spec(options)
    planned = api.gate_blame_plan(spec)
    before = preview(
        planned.recipe.parts, planned.margin, planned.runs, planned.most_runs, planned.usd_per_run, planned.finished
    )
    click.echo(terminal.render(before, width=width(), colour=colour()), nl=False, err=not options["dry_run"])
    if options["dry_run"]:
        return Exit.FINE
    with Bars() as bars:
        found = api.gate_blame(spec, engine=engine, notify=bars.note, progress=bars.tell)
    show = document(found)
    make = {
        "json": lambda: json_text(as_json(found), schema=SCHEMA),
        "markdown": lambda: markdown.render(show),
        "html": lambda: page(found),
    }
    paths = {name: options[f"{name}_path"] for name in make}
    deliver(paths, make, lambda: terminal.render(show, width=width(), colour=colour()))
    return Exit.NO if found.named("harms") else Exit.UNDECIDED if found.named("cannot tell") else Exit.FINE


def _blame_spec(options: dict[str, Any]) -> BlameSpec:
    from steelyard.cli.gate.options import run_spec
    from steelyard.gate.blame.parts import PartRules
    from steelyard.gate.blame.plan import BlameSpec
    from steelyard.gate.settings import load_settings

    settings = load_settings(options["settings"]).blame
    margin, runs, price = (options.pop(name) for name in ("margin", "runs", "usd_per_run"))
    groups = (*settings.together, *(tuple(each.split(",")) for each in options.pop("together")))
    rules = PartRules(options.pop("parts"), groups, (*settings.pin, *options.pop("pin")))
    run = run_spec({**options, **dict.fromkeys(_UNUSED), "margin": None, "thresholds": (), "policy": None})
    return BlameSpec(replace(run, parts=rules), margin, runs, price)


@click.command()
@click.argument("blamed", metavar="BLAME.json", type=Place())
@click.option("--out", type=click.Path(path_type=Path), required=True, help="New folder for the pruned configuration.")
@tasks_option
@agent_options
@policy_options
@rare("--seed", type=int, help="Shuffles the order of the arms; recorded.")
@log_dir_option(Path("logs/prune"))
@store_option
@ledger_option
@index_option
@minutes_option
@threshold_option
@settings_option
@engine_options
@judge_options
@report_options
def prune(blamed: Location, out: Path, **options: Any) -> Exit:
    """Leave out the parts that harm or change nothing, and test that the rest is no worse.

    One gate run, adaptive and safe, of the pruned configuration against the whole one. Exit codes as of gate run.

    \b
    Example:
      steelyard gate prune logs/blame/blame.json --out pruned --tasks tasks \\
        --agent claude-code
      steelyard gate promote logs/prune/comparison.json --repo . \\
        --blame logs/blame/blame.json --open-pr
    """
    from steelyard import api
    from steelyard.cli.gate.options import run_spec

    engine = chosen_engine(options)
    fixed = {"baseline": None, "candidate": str(out), "baseline_log": None, "epochs": None, "base": None}
    options["policy"] = options["policy"] or "adaptive"
    spec = run_spec({**options, **fixed})
    with Bars() as bars:
        weighed = api.gate_prune(blamed, spec, out, engine=engine, notify=bars.note, progress=bars.tell)
    return report(weighed, options)


@click.command()
@click.option("--good", metavar="REF", required=True, help="A commit whose configuration is as it should be.")
@click.option("--bad", metavar="REF", default="HEAD", show_default=True, help="A later commit that is worse.")
@click.option("--path", "where", default="", help="Where the configuration lives [default: the repository's root].")
@tasks_option
@agent_options
@policy_options
@log_dir_option(Path("logs/bisect"))
@store_option
@minutes_option
@settings_option
@engine_options
@judge_options
@output("json", "markdown")
def bisect(good: str, bad: str, where: str, **options: Any) -> Exit:
    """Find the commit that made the configuration worse.

    Each step is an adaptive gate run against the good commit, whose runs are kept and used again. Exit 1 if a commit
    was found, 3 if only a range of them, 0 if the bad commit is not shown to be worse.

    \b
    Example:
      steelyard gate bisect --good v1.2 --bad HEAD --path agent --tasks tasks \\
        --agent claude-code
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.cli.gate.options import run_spec
    from steelyard.gate.blame.bisect import as_json, document
    from steelyard.report import markdown, terminal

    engine = chosen_engine(options)
    fixed = {**dict.fromkeys(("baseline", "baseline_log", "epochs", "base", "seed")), "thresholds": ()}
    options["policy"] = options["policy"] or "adaptive"
    spec = run_spec({**options, **fixed, "candidate": f"git:{bad}"})
    with Bars() as bars:
        found = api.gate_bisect(spec, good, bad, path=where, engine=engine, notify=bars.note, progress=bars.tell)
    show = document(found)
    make = {"json": lambda: json_text(as_json(found)), "markdown": lambda: markdown.render(show)}
    paths = {name: options[f"{name}_path"] for name in make}
    deliver(paths, make, lambda: terminal.render(show, width=width(), colour=colour()))
    return Exit.FINE if not found.culprits else Exit.NO if len(found.culprits) == 1 else Exit.UNDECIDED
