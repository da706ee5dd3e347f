"""`steelyard gate tasks` and `steelyard gate selftest`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, note, output, width


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@output("json")
def tasks(folder: Path, json_path: str | None) -> Exit:
    """List and validate the tasks in DIR. Ends in 2 when one cannot be used, or when there are none.

    \b
    Example:
      steelyard gate tasks tasks
    """
    from steelyard.artifact import json_text
    from steelyard.gate.report.listing import listing, listing_json
    from steelyard.gate.task import read_suite
    from steelyard.report import terminal

    suite = read_suite(folder)
    make = {"json": lambda: json_text(listing_json(suite))}
    deliver({"json": json_path}, make, lambda: terminal.render(listing(suite), width=width(), colour=colour()))
    return Exit.FINE if suite.tasks and not suite.problems else Exit.UNANSWERED


@click.command()
@click.argument("folder", metavar="TASKS", type=click.Path(path_type=Path))
@output("json")
def selftest(folder: Path, json_path: str | None) -> Exit:
    """Prove that tasks tell right from wrong: references pass, doing nothing fails, hostile solutions fail.

    \b
    Example:
      steelyard gate selftest tasks
    """
    from steelyard.artifact import json_text
    from steelyard.gate.report.listing import selftests, selftests_json
    from steelyard.gate.selftest import selftest as tried
    from steelyard.gate.task import load_suite
    from steelyard.report import terminal
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    found: list[Any] = []
    for each in load_suite(folder).tasks:
        note(f"trying {each.id}")
        found.append(tried(each))
    make = {"json": lambda: json_text(selftests_json(found))}
    deliver({"json": json_path}, make, lambda: terminal.render(selftests(found), width=width(), colour=colour()))
    return Exit.FINE if all(each.fine for each in found) else Exit.NO
