"""`steelyard gate noise` and `steelyard gate plan`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import agent_options, log_dir_option, settings_option, store_option, tasks_option
from steelyard.cli.judging import judge_options
from steelyard.cli.options import Number, colour, deliver, index_option, note, output, rare, width

if TYPE_CHECKING:
    from steelyard.location import Location

_UNUSED = ("baseline_log", "question", "margin", "alpha", "min_rounds", "max_rounds", "budget_minutes")
"""Options of `gate run` that an A/A run has no use for."""


@click.command()
@click.argument("logs", nargs=-1)
@tasks_option
@click.option("--baseline", metavar="CONFIG", help="The configuration for both sides: a folder or git:REF[:PATH].")
@agent_options
@click.option("--rounds", "epochs", type=click.IntRange(1, 1000), default=5, show_default=True, help="Of both sides.")
@rare("--seed", type=int, help="Shuffles the arms and draws the comparisons; recorded.")
@log_dir_option(Path("logs/noise"))
@rare("--scorer", help="Which score of foreign logs to read, if they have several.")
@settings_option
@index_option
@judge_options
@output("json", "markdown", "html")
def noise(logs: tuple[str, ...], **options: Any) -> Exit:
    """Measure what the suite varies by when nothing changes: the same configuration on both sides.

    Reads LOGS (a folder of such a run, or the logs of one or two sides), or runs the tasks itself. The record is kept
    in .steelyard/noise beside the settings file, and comparisons with the same fingerprint use it.

    \b
    Example:
      steelyard gate noise --tasks tasks --baseline agent --agent claude-code \\
        --rounds 5
      steelyard gate noise logs/noise --html noise.html
    """
    from steelyard import api
    from steelyard.gate.noise.page import page
    from steelyard.gate.noise.record import json_text, record_path
    from steelyard.gate.noise.report import document
    from steelyard.gate.settings import load_settings, noise_folder
    from steelyard.report import markdown, terminal

    settings = load_settings(options["settings"])
    folder = noise_folder(settings)
    sources = logs or (str(_run_both(options, settings)),)
    record = api.gate_noise(
        sources, folder=folder, seed=options["seed"] or settings.seed or 0, scorer=options["scorer"]
    )
    show = document(record)
    make = {"json": lambda: json_text(record), "markdown": lambda: markdown.render(show), "html": lambda: page(record)}
    paths = {name: options[f"{name}_path"] for name in make}
    deliver(paths, make, lambda: terminal.render(show, width=width(), colour=colour()))
    note(f"the record is {record_path(folder, record.fingerprint)}")
    return Exit.FINE


def _run_both(options: dict[str, Any], settings: Any) -> Location:
    """Run one configuration on both sides; the folder of the logs."""
    from steelyard import api
    from steelyard.cli.gate.options import run_spec

    baseline = options["baseline"] or settings.baseline
    same = {"baseline": baseline, "candidate": baseline, "thresholds": (), "policy": "contract"}
    spec = replace(run_spec({**options, **dict.fromkeys(_UNUSED), **same}), identical=True)
    api.gate_run(spec, notify=note)
    return spec.log_dir


@click.command()
@rare("--record", type=click.Path(path_type=Path), help="A noise record.")
@rare("--from", "logs", multiple=True, metavar="LOGS", help="Earlier logs; repeatable for two sides.")
@store_option
@click.option("--baseline", metavar="CONFIG", help="Whose runs in the store count [default: the newest].")
@click.option("--tasks", type=click.Path(path_type=Path), help="Folder of tasks, to count them and their checks.")
@index_option
@click.option(
    "--tasks-count",
    type=click.IntRange(1, 100_000),
    default=20,
    help="Assumed tasks [default: as in --tasks, or 20].",
)
@rare(
    "--checks",
    type=click.IntRange(0, 200),
    default=4,
    help="Assumed checks a task [default: as in --tasks, or 4].",
)
@click.option("--pass-rate", type=Number(0, 1), default=0.9, show_default=True, help="Assumed pass rate of a check.")
@rare("--judge-sd", type=Number(0, 1), help="Assumed spread of the judge's score [default: no judge].")
@rare("--usd-per-run", type=Number(min=0), help="Assumed cost of a run.")
@click.option("--budget-runs", type=click.IntRange(1), help="Runs that may be spent: what can they show?")
@click.option("--budget-usd", type=Number(min=0, min_open=True), help="The same in US dollars.")
@click.option("--effect", type=Number(1e-6, 1), default=0.05, show_default=True, help="Mean gain per task to detect.")
@rare("--margin", type=Number(1e-6, 1), help="Mean loss per task that is still safe [default: 0.05].")
@settings_option
@output("json")
def plan(record: Path | None, logs: tuple[str, ...], **options: Any) -> Exit:
    """Say what a suite can detect before any call is paid for, and what a given effect costs.

    The numbers come from --store, --record, earlier logs (--from), the newest record of the settings, stated pass
    rates, or else from what real agents vary by; the tasks of the settings are counted.

    \b
    Example:
      steelyard gate plan --tasks-count 20 --checks 4 --pass-rate 0.9
      steelyard gate plan --from logs/gate --effect 0.02
      steelyard gate plan --store s3://bucket/arms --budget-usd 50
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.noise.plan_report import as_json, document
    from steelyard.gate.noise.record import newest_record
    from steelyard.gate.settings import load_settings, noise_folder
    from steelyard.report import terminal

    settings = load_settings(options.pop("settings"))
    json_path = options.pop("json_path")
    margin = options.pop("margin") or settings.margin
    stated = {"tasks_count", "checks", "pass_rate", "judge_sd"} & _given()
    stored = options["store"] or (settings.store if not (record or logs or stated) else None)
    source = record or (None if logs or stated or stored else newest_record(noise_folder(settings)))
    folder = options.pop("tasks") or settings.tasks
    if source is None and not logs and not stored and folder:
        options |= {name: value for name, value in _suite_size(folder).items() if name not in stated}
    options |= {"store": stored, "real_rates": not stated & {"checks", "pass_rate", "judge_sd"}}
    result = api.gate_power(record=source, logs=logs, margin=margin, **options)
    show = document(result)
    make = {"json": lambda: json_text(as_json(result))}
    deliver({"json": json_path}, make, lambda: terminal.render(show, width=width(), colour=colour()))
    return Exit.FINE


def _suite_size(folder: str | Path) -> dict[str, int]:
    """The number of tasks in a folder, and of checks in a task on average."""
    from steelyard import api

    tasks = api.gate_tasks(folder).tasks
    if not tasks:
        return {}
    return {"tasks_count": len(tasks), "checks": round(sum(len(task.file.checks) for task in tasks) / len(tasks))}


def _given() -> set[str]:
    """The options that were stated on the command line."""
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) is not default}
