"""`steelyard gate init`, `harvest`, `check` and `plan`: what a gate needs before it runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import Paths, index_option, note, output, rare, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import command_of, options_of
from steelyard.errors import InputError, command

if TYPE_CHECKING:
    from steelyard.report.document import Document


@click.command()
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), default=Path(), required=False)
def init(folder: Path) -> Exit:
    """Write a first steelyard.yaml, with the policy adaptive, and a first task. Nothing is ever overwritten.

    \b
    Example:
      steelyard gate init
    """
    from steelyard.gate.starter import SETTINGS, TASKS

    for path in api.gate_init(folder):
        click.echo(f"wrote {path}")
    where = () if folder == Path() else ("--settings", folder / SETTINGS)
    selftest = command("steelyard", "gate", "check", folder / TASKS, "--prove")
    click.echo(
        f"\nNext:\n"
        f"  {selftest}    the task can tell right from wrong\n"
        f"  {command('steelyard', 'gate', 'run', *where)}    compares two configurations, with an agent without a key\n"
        f"Then set your own agent, baseline and candidate in {folder / SETTINGS}, and add tasks to {folder / TASKS}."
    )
    return Exit.FINE


@command_of(api.GateHarvest)
@click.option("--transcripts", is_flag=True, help="Prompts from your session logs (claude-code, codex).")
@rare("--yes", is_flag=True, help="Do not ask before tasks with prompts from session logs are written.")
@output("json", "markdown")
def harvest(spec: api.GateHarvest, transcripts: bool, yes: bool, out: Paths) -> Exit:
    """Make tasks from the history of REPO: small commits whose tests are red before them and green after them.

    Tests run in the sandbox without a network, three times on each side. Every task that is written passes `gate
    check --prove`. Run again to go on after an interruption. Exit 1 if no commit became a task.

    With --transcripts, only commits become tasks before which somebody typed a prompt to an agent in REPO. The prompts
    are shown before anything is written, those with a secret are dropped, and nothing is sent anywhere.

    \b
    Example:
      steelyard gate harvest ~/src/mylib --out tasks --most 15
      gh issue list --state all --json number,title,body > issues.json
      steelyard gate harvest ~/src/mylib --out tasks --issues issues.json
    """
    from steelyard.gate.harvest.report import as_data, document

    if transcripts:
        spec = _with_transcripts(spec, yes)
    with Bars() as bars:
        found = api.gate_harvest(replace(spec, progress=bars.trying("tasks")))
    show(document(found), out, lambda: as_data(found))
    return Exit.FINE if found.tasks else Exit.NO


def _with_transcripts(spec: api.GateHarvest, yes: bool) -> api.GateHarvest:
    """Show what was typed before which commit, and ask whether that may be written into tasks."""
    from steelyard.gate.harvest import typed_for

    found = typed_for(spec.resolved())
    for each in found.asked:
        note(f"{each.commit.short} {each.commit.date[:10]} {each.commit.subject}\n  {each.session}")
        note("".join(f"  > {line}\n" for line in each.text.splitlines()))
    note(f"{found.messages} prompts in {spec.repo}, {found.secret} left out for a secret; {len(found.asked)} commits.")
    if not found.asked:
        raise InputError("no prompt was typed between a commit that may become a task and its parent")
    if not yes and not sys.stdin.isatty():
        raise InputError("nothing is written before somebody has agreed", cure="read the list above, then add --yes")
    if not yes:
        click.confirm(f"Write these prompts into tasks in {spec.out}?", err=True, abort=True)
    return replace(spec, typed=found.prompts)


@command_of(api.GateCheck, rare=("settings",))
@index_option
@output("json")
def check(spec: api.GateCheck, out: Paths) -> Exit:
    """Check a folder of tasks, a configuration (a folder or git:REF[:PATH]), or a comparison.

    Tasks are listed and validated: exit 2 if one cannot be used. With --prove each must tell right from wrong:
    its reference passes, doing nothing and hostile solutions fail, else exit 1. Of a configuration, the
    artifacts are shown by kind, with exit 1 for parse errors and secrets. Absolute paths, and artifacts that the
    agent (or no agent) loads, are warnings. A comparison is recomputed offline from its logs, under the settings that
    were registered before the first run: exit 0 if it was decided as registered, 1 if not.

    \b
    Example:
      steelyard gate check tasks --prove
      steelyard gate check . --baseline git:main --agent codex
      steelyard gate check logs/gate/comparison.json
    """
    document, data, code = _shown(api.gate_check(replace(spec, notify=note)))
    show(document, out, lambda: data)
    return code


def _shown(found: Any) -> tuple[Document, Mapping[str, Any], Exit]:
    """What was found as a document and as data, and whether it is in order."""
    from steelyard.gate.config.validation import Inspection
    from steelyard.gate.report import listing
    from steelyard.gate.report.verification import verification, verification_json
    from steelyard.gate.task_folder import Suite
    from steelyard.gate.verify import Verification

    if isinstance(found, Verification):
        return verification(found), verification_json(found), Exit.FINE if found.holds else Exit.NO
    if isinstance(found, Inspection):
        return listing.inspection(found), listing.inspection_json(found), Exit.FINE if found.valid else Exit.NO
    if isinstance(found, Suite):
        usable = found.tasks and not found.problems
        return listing.listing(found), listing.listing_json(found), Exit.FINE if usable else Exit.UNANSWERED
    fine = all(result.fine for result in found)
    return listing.selftests(found), listing.selftests_json(found), Exit.FINE if fine else Exit.NO


_ASKED = ("baseline", "budget_usd", "settings", "store", "tasks")
"""Fields of a measurement that a plan has too."""


@command_of(api.GatePlan)
@options_of(api.GateMeasure, omit=_ASKED, rare=("model", "judge"))
@click.option("--measure", is_flag=True, help="Measure noise: run --baseline on both sides, or read LOGS of that.")
@rare("--scorer", help="With --measure: which score of foreign logs to read, if they have several.")
@index_option
@output("json", "markdown", "html", shown=("json",))
def plan(spec: api.GatePlan, run: api.GateMeasure, measure: bool, scorer: str | None, out: Paths) -> Exit:
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
    from steelyard.gate.noise import plan_report

    if measure:
        return _measure(spec, run, scorer, out)
    result = api.gate_power(spec)
    show(plan_report.document(result), out, lambda: plan_report.as_json(result))
    return Exit.FINE


def _measure(spec: api.GatePlan, run: api.GateMeasure, scorer: str | None, out: Paths) -> Exit:
    from steelyard.gate.noise.record import json_text, record_path
    from steelyard.gate.noise.report import document
    from steelyard.gate.settings import load_settings, noise_folder
    from steelyard.report import html

    settings = load_settings(spec.settings)
    folder, seed = noise_folder(settings), run.seed or settings.seed or 0
    if not spec.logs:
        both = replace(run, **{name: getattr(spec, name) for name in _ASKED})
        api.gate_run(both, notify=note)
    record = api.gate_noise(spec.logs or (str(run.log_dir),), folder=folder, seed=seed, scorer=scorer)
    show(document(record), out, json=lambda: json_text(record), html=lambda: html.render(document(record, most=None)))
    note(f"the record is {record_path(folder, record.fingerprint)}")
    return Exit.FINE
