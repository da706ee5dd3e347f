"""`steelyard gate quarantine` and `steelyard gate waive`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import deliver, note, on_terminal, output, rare
from steelyard.errors import InputError

FILE = Path("steelyard.yaml")

settings_option = rare(
    "--settings", "--config", type=click.Path(path_type=Path), default=FILE, show_default=True, help="Settings file."
)


@click.command()
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--check", help="One check of the task [default: the whole task].")
@click.option("--reason", help="Why it does not count for now.")
@click.option("--owner", help="Who is going to fix it.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last day, at most 30 days ahead.")
@click.option("--days", type=click.IntRange(0, 30), default=14, show_default=True, help="Days ahead, without --until.")
@click.option("--end", is_flag=True, help="End the quarantine of TASK now; without TASK, remove what is over.")
@settings_option
@output("json", shown=())
def quarantine(
    task: str | None, check: str | None, end: bool, settings: Path, json_path: str | None, **entry: Any
) -> Exit:
    """Set TASK, or one check of it, aside for a while: it counts neither for nor against.

    Without TASK the quarantine is listed: what holds today, and what counts again and why. Comments and order of the
    settings file are kept.

    \b
    Example:
      steelyard gate quarantine slug --check "tests pass" \\
        --reason "flaky network" --owner ada --days 14
      steelyard gate quarantine
      steelyard gate quarantine slug --end
    """
    if end:
        return _end(task, check, settings)
    return _list(settings, json_path) if task is None else _add(task, check, settings, **entry)


def _add(
    task: str,
    check: str | None,
    settings: Path,
    reason: str | None,
    owner: str | None,
    until: datetime | None,
    days: int,
) -> Exit:
    from steelyard import api

    if not reason or not owner:
        raise InputError("a quarantine needs a reason and an owner", cure="--reason TEXT --owner NAME")
    last = until.date() if until else None
    entry = api.quarantine_add(task, reason=reason, owner=owner, check=check, until=last, days=days, settings=settings)
    click.echo(f"{entry.name} is quarantined until {entry.until} in {settings}")
    note("it holds once this is part of the baseline, if the baseline is a git ref")
    return Exit.FINE


def _list(settings: Path, json_path: str | None) -> Exit:
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.quarantine.listing import listing, listing_data

    entries = api.quarantine_list(settings)
    make = {"json": lambda: json_text(listing_data(entries))}
    show = listing(entries, settings)
    deliver({"json": json_path}, make, lambda: on_terminal(show))
    return Exit.FINE


def _end(task: str | None, check: str | None, settings: Path) -> Exit:
    from steelyard import api

    for name in api.quarantine_expire(task, check=check, settings=settings):
        click.echo(f"{name} counts again")
    return Exit.FINE


@click.command()
@click.argument("task", metavar="TASK")
@click.option("--check", help="One check of the task [default: the whole task].")
@click.option("--reason", required=True, help="Why the loss is worth it.")
@click.option("--until", required=True, type=click.DateTime(["%Y-%m-%d"]), help="The last day on which it holds.")
@click.option("--owner", help="Who accepts it [default: git's user.name].")
@settings_option
def waive(task: str, check: str | None, reason: str, until: datetime, owner: str | None, settings: Path) -> Exit:
    """Accept the loss of a task or of one check: a mixed verdict of which every loss is accepted counts as improved.

    Comments and order of the settings file are kept.

    \b
    Example:
      steelyard gate waive slug --reason "the old format goes" \\
        --until 2026-12-31
    """
    from steelyard import api

    entry = api.waive(task, reason=reason, until=until.date(), owner=owner, check=check, settings=settings)
    click.echo(f"a loss of {entry.name} is accepted until {entry.until} in {settings}")
    note("it holds once this is part of the baseline, if the baseline is a git ref")
    return Exit.FINE
