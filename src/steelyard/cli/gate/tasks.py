"""`steelyard gate tasks` and `steelyard gate selftest`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import settings_option
from steelyard.cli.options import colour, deliver, note, output, width


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@settings_option
@output("json")
def tasks(folder: Path, settings: Path | None, json_path: str | None) -> Exit:
    """List and validate the tasks in DIR. Exit 2 if one cannot be used, or if there are none.

    \b
    Example:
      steelyard gate tasks tasks
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.report.listing import listing, listing_json
    from steelyard.gate.settings import load_settings
    from steelyard.report import terminal

    suite = api.gate_tasks(folder, tools=load_settings(settings).tools)
    make = {"json": lambda: json_text(listing_json(suite))}
    deliver({"json": json_path}, make, lambda: terminal.render(listing(suite), width=width(), colour=colour()))
    return Exit.FINE if suite.tasks and not suite.problems else Exit.UNANSWERED


@click.command()
@click.argument("folder", metavar="TASKS", type=click.Path(path_type=Path))
@settings_option
@output("json")
def selftest(folder: Path, settings: Path | None, json_path: str | None) -> Exit:
    """Prove that tasks can tell right from wrong: references pass, doing nothing and hostile solutions fail.

    \b
    Example:
      steelyard gate selftest tasks
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.report.listing import selftests, selftests_json
    from steelyard.gate.settings import load_settings
    from steelyard.report import terminal

    results = api.gate_selftest(folder, tools=load_settings(settings).tools, notify=note)
    make = {"json": lambda: json_text(selftests_json(results))}
    deliver({"json": json_path}, make, lambda: terminal.render(selftests(results), width=width(), colour=colour()))
    return Exit.FINE if all(result.fine for result in results) else Exit.NO
