"""`steelyard gate quarantine` and `steelyard gate waive`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, note, output, width

FILE = Path("steelyard.yaml")

settings_option = click.option(
    "--settings", "--config", type=click.Path(path_type=Path), default=FILE, show_default=True, help="Settings file."
)


@click.group()
def quarantine() -> None:
    """Tasks and checks that count neither for nor against for a while, with a reason, an owner and a last day.

    \b
    Example:
      steelyard gate quarantine add slug --check "tests pass" \\
        --reason "flaky network" --owner ada --days 14
      steelyard gate quarantine list
      steelyard gate quarantine expire
    """


@quarantine.command()
@click.argument("task", metavar="TASK")
@click.option("--check", help="One check of the task [default: the whole task].")
@click.option("--reason", required=True, help="Why it does not count for now.")
@click.option("--owner", required=True, help="Who is going to fix it.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last day, at most 30 days ahead.")
@click.option("--days", type=click.IntRange(0, 30), default=14, show_default=True, help="Days ahead, without --until.")
@settings_option
def add(
    task: str, check: str | None, reason: str, owner: str, until: datetime | None, days: int, settings: Path
) -> Exit:
    """Quarantine a task or one check of it. Comments and order of the settings file are kept.

    \b
    Example:
      steelyard gate quarantine add slug --reason "flaky network" --owner ada \\
        --until 2026-12-01
    """
    from steelyard import api

    last = until.date() if until else None
    entry = api.quarantine_add(task, reason=reason, owner=owner, check=check, until=last, days=days, settings=settings)
    click.echo(f"{entry.name} is quarantined until {entry.until} in {settings}")
    note("it holds once this is part of the baseline, if the baseline is a git ref")
    return Exit.FINE


@quarantine.command("list", short_help="List the quarantine.")
@settings_option
@output("json")
def list_entries(settings: Path, json_path: str | None) -> Exit:
    """List the quarantine: what holds today, and what counts again and why.

    \b
    Example:
      steelyard gate quarantine list
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.quarantine.listing import listing, listing_data
    from steelyard.report import terminal

    entries = api.quarantine_list(settings)
    make = {"json": lambda: json_text(listing_data(entries))}
    show = listing(entries, settings)
    deliver({"json": json_path}, make, lambda: terminal.render(show, width=width(), colour=colour()))
    return Exit.FINE


@quarantine.command(short_help="End the quarantine of a task, or remove what is over.")
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--check", help="One check of the task [default: all its entries].")
@settings_option
def expire(task: str | None, check: str | None, settings: Path) -> Exit:
    """End the quarantine of TASK now, or without TASK remove every entry whose last day is over.

    \b
    Example:
      steelyard gate quarantine expire
      steelyard gate quarantine expire slug --check "tests pass"
    """
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
