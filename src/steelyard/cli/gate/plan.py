"""`steelyard gate plan`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import index_option, note, output, rare, show, take_paths
from steelyard.cli.spec import options_of

if TYPE_CHECKING:
    from steelyard.gate.settings import GateSettings

_UNUSED = (
    "baseline", "candidate", "baseline_log", "base", "store", "ledger", "budget_usd", "budget_minutes", "margin",
    "policy", "question", "alpha", "min_rounds", "max_rounds", "thresholds",
)  # fmt: skip
"""Fields of a gate run that a plan says itself, or that a measurement has no use for."""


@click.command()
@options_of(api.GatePlan)
@options_of(api.GateMeasure, omit=_UNUSED, rare=("model", "judge"))
@click.option("--measure", is_flag=True, help="Measure noise: run --baseline on both sides, or read LOGS of that.")
@rare("--scorer", help="With --measure: which score of foreign logs to read, if they have several.")
@index_option
@output("json", "markdown", "html", shown=("json",))
def plan(spec: api.GatePlan, run: api.GateMeasure, measure: bool, scorer: str | None, **out: Any) -> Exit:
    """Say what a suite can detect before any call is paid for, and what a given effect costs.

    The numbers come from --store, --record, earlier LOGS, the newest record of the settings, stated pass rates, or
    else from what real agents vary by; the tasks of the settings are counted.

    With --measure: what does the suite vary by when nothing changes? The record is kept in .steelyard/noise beside the
    settings file, and comparisons with the same fingerprint use it.

    \b
    Example:
      steelyard gate plan --tasks-count 20 --checks 4 --pass-rate 0.9
      steelyard gate plan logs/gate --effect 0.02
      steelyard gate plan --store s3://bucket/arms --budget-usd 50
      steelyard gate plan --measure --tasks tasks --baseline agent \\
        --agent claude-code --rounds 5
    """
    from steelyard.artifact import json_text
    from steelyard.gate.noise.plan_report import as_json, document
    from steelyard.gate.noise.record import newest_record
    from steelyard.gate.settings import load_settings, noise_folder

    settings = load_settings(run.settings)
    if measure:
        return _measure(spec, run, settings, scorer, take_paths(out))
    varied = (spec.checks, spec.pass_rate, spec.judge_sd)
    stated = any(value is not None for value in (spec.tasks_count, *varied))
    store = spec.store or (settings.store if not (spec.record or spec.logs or stated) else None)
    record = spec.record or (None if spec.logs or stated or store else newest_record(noise_folder(settings)))
    folder = run.tasks or settings.tasks
    size = _size(folder) if record is None and not spec.logs and not store and folder else (None, None)
    chosen = replace(
        spec, store=store, record=record, margin=spec.margin or settings.margin,
        tasks_count=spec.tasks_count or size[0], checks=size[1] if spec.checks is None else spec.checks,
        real_rates=varied == (None, None, None),
    )  # fmt: skip
    result = api.gate_power(chosen)
    show(document(result), take_paths(out), json=lambda: json_text(as_json(result)))
    return Exit.FINE


def _size(folder: str | Path) -> tuple[int | None, int | None]:
    """The number of tasks in a folder, and of checks in a task on average."""
    from steelyard.gate.task_folder import read_suite

    tasks = read_suite(Path(folder)).tasks
    return (len(tasks), round(sum(len(task.file.checks) for task in tasks) / len(tasks))) if tasks else (None, None)


def _measure(
    spec: api.GatePlan, run: api.GateMeasure, settings: GateSettings, scorer: str | None, paths: dict[str, str | None]
) -> Exit:
    from steelyard.gate.noise.page import page
    from steelyard.gate.noise.record import json_text, record_path
    from steelyard.gate.noise.report import document
    from steelyard.gate.settings import noise_folder

    folder = noise_folder(settings)
    if not spec.logs:
        both = replace(run, baseline=spec.baseline, budget_usd=spec.budget_usd)
        api.gate_run(both, notify=note)
    record = api.gate_noise(
        spec.logs or (str(run.log_dir),), folder=folder, seed=run.seed or settings.seed or 0, scorer=scorer
    )
    show(document(record), paths, json=lambda: json_text(record), html=lambda: page(record))
    note(f"the record is {record_path(folder, record.fingerprint)}")
    return Exit.FINE
