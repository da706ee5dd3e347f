"""`steelyard doctor`: what works on this machine."""

from __future__ import annotations

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, output, show


@click.command()
@output("json")
def doctor(json_path: str | None) -> int:
    """Try every part on this machine and show how to fix what does not work.

    Always needed: Python, Inspect, a sandbox, disk space. Optional: a judge, Docker, and the parts of extras that are
    not installed. Exit code 0: everything that is needed works; 1: something does not.

    \b
    Examples:
      steelyard doctor
      steelyard doctor --json -
    """
    from steelyard.doctor import document

    results = api.doctor(notify=lambda name: note(f"trying {name} ..."))
    show(document(results), {"json": json_path}, json=lambda: artifact.json_text(results.as_json()))
    return Exit.FINE if results.healthy else Exit.NO
