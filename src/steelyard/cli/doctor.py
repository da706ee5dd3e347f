"""`steelyard doctor`: what works on this machine."""

from __future__ import annotations

import click

from steelyard import artifact
from steelyard import doctor as examination
from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, note, output, width
from steelyard.report import terminal


@click.command()
@output("json")
def doctor(json_path: str | None) -> int:
    """Try every part on this machine and say how to cure what does not work.

    Needed by everybody: Python, Inspect, a sandbox, disk. What belongs to an extra that is not installed, a judge
    and Docker may be off. Exit code 0: everything that is needed works; 1: something does not.

    \b
    Examples:
      steelyard doctor
      steelyard doctor --json -
    """
    found = examination.examine(lambda name: note(f"trying {name} ..."))
    deliver(
        {"json": json_path},
        {"json": lambda: artifact.json_text(found.as_json())},
        lambda: terminal.render(examination.document(found), width=width(), colour=colour()),
    )
    return Exit.FINE if found.healthy else Exit.NO
