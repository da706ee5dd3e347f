"""`steelyard gate quarantine` and `steelyard gate waive`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, output, show
from steelyard.cli.spec import options_of
from steelyard.rows import Table

if TYPE_CHECKING:
    from steelyard.gate.quarantine.listing import ListedEntry


@click.command()
@options_of(api.GateQuarantine)
@output("json", shown=())
def quarantine(spec: api.GateQuarantine, json_path: str | None) -> Exit:
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
    from steelyard.artifact import json_text
    from steelyard.gate.quarantine.listing import listing, listing_data

    done = api.quarantine(spec)
    if isinstance(done, Table):
        entries = cast("Table[ListedEntry]", done)
        show(listing(entries, spec.settings), {"json": json_path}, json=lambda: json_text(listing_data(entries)))
    elif isinstance(done, tuple):
        for name in done:
            click.echo(f"{name} counts again")
    else:
        click.echo(f"{done.name} is quarantined until {done.until} in {spec.settings}")
        note("it holds once this is part of the baseline, if the baseline is a git ref")
    return Exit.FINE


@click.command()
@options_of(api.GateWaive)
def waive(spec: api.GateWaive) -> Exit:
    """Accept the loss of a task or of one check: a mixed verdict of which every loss is accepted counts as improved.

    Comments and order of the settings file are kept.

    \b
    Example:
      steelyard gate waive slug --reason "the old format goes" \\
        --until 2026-12-31
    """
    entry = api.waive(spec)
    click.echo(f"a loss of {entry.name} is accepted until {entry.until} in {spec.settings}")
    note("it holds once this is part of the baseline, if the baseline is a git ref")
    return Exit.FINE
