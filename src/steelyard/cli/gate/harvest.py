"""`steelyard gate init` and `steelyard gate harvest`: what to start from."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, output, rare, show, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of
from steelyard.errors import InputError, command


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


@click.command()
@options_of(api.GateHarvest)
@click.option("--transcripts", is_flag=True, help="Prompts from your session logs (claude-code, codex).")
@rare("--yes", is_flag=True, help="Do not ask before tasks with prompts from session logs are written.")
@output("json", "markdown")
def harvest(spec: api.GateHarvest, transcripts: bool, yes: bool, **out: Any) -> Exit:
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
    from steelyard.artifact import json_text
    from steelyard.gate.harvest.report import as_data, document

    if transcripts:
        spec = _with_transcripts(spec, yes)
    with Bars() as bars:
        found = api.gate_harvest(replace(spec, progress=bars.trying("tasks")))
    show(document(found), take_paths(out), json=lambda: json_text(as_data(found)))
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
