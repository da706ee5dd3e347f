"""`steelyard gate init`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit


@click.command()
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), default=Path(), required=False)
def init(folder: Path) -> Exit:
    """Write a first steelyard.yaml, with the policy adaptive, and a first task. Nothing is ever overwritten.

    \b
    Example:
      steelyard gate init
    """
    from steelyard import api
    from steelyard.errors import command
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
