"""`steelyard gate harvest`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import note, output, rare, show
from steelyard.cli.progress import Bars
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.gate.harvest import HarvestSpec

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("repo", metavar="REPO", type=FOLDER)
@click.option("--out", type=FOLDER, required=True, metavar="DIR", help="Folder for the tasks.")
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, help="Tasks to write at most.")
@rare("--ref", default="HEAD", show_default=True, help="The history that leads to this commit or branch.")
@rare("--since", metavar="DATE", help="Only commits after this date.")
@rare("--depth", type=click.IntRange(1), default=1000, show_default=True, help="Commits to look at.")
@rare("--max-lines", type=click.IntRange(1), default=200, show_default=True, help="Changed lines of source.")
@click.option("--issues", type=FOLDER, metavar="FILE", help="Issues as JSON; their text is the prompt.")
@click.option("--transcripts", is_flag=True, help="Prompts from your session logs (claude-code, codex).")
@rare("--yes", is_flag=True, help="Do not ask before tasks with prompts from session logs are written.")
@rare("--timeout", type=click.FloatRange(1), default=300, show_default=True, help="Seconds for one test run.")
@output("json", "markdown")
def harvest(
    repo: Path,
    out: Path,
    most: int,
    ref: str,
    since: str | None,
    depth: int,
    max_lines: int,
    issues: Path | None,
    transcripts: bool,
    yes: bool,
    timeout: float,
    json_path: str | None,
    markdown_path: str | None,
) -> Exit:
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
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.harvest import HarvestSpec
    from steelyard.gate.harvest.report import as_data, document
    from steelyard.proof.candidates import Limits

    spec = HarvestSpec(repo, out, most, ref, since, depth, Limits(lines=max_lines), timeout_s=timeout, issues=issues)
    if transcripts:
        spec = _with_transcripts(spec, yes)
    with Bars() as bars:
        found = api.gate_harvest(spec, bars.trying("tasks"))
    paths = {"json": json_path, "markdown": markdown_path}
    show(document(found), paths, json=lambda: json_text(as_data(found)))
    return Exit.FINE if found.tasks else Exit.NO


def _with_transcripts(spec: HarvestSpec, yes: bool) -> HarvestSpec:
    """Show what was typed before which commit, and ask whether that may be written into tasks."""
    from steelyard.gate.harvest import typed_for

    found = typed_for(spec)
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
