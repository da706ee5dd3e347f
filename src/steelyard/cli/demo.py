"""`steelyard demo`: see all of it run offline."""

from __future__ import annotations

from dataclasses import replace

import click

from steelyard import api
from steelyard.api.machine import Show
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, on_terminal
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of


@click.command()
@options_of(api.DemoRun)
def demo(spec: api.DemoRun) -> Exit:
    """Weigh the embedded subjects: one gate, one audit, the full bench. No key, no network.

    The verdicts of the gate and the audit come within seconds, the board in about two minutes on two quiet cores. It
    can be killed and started again.

    \b
    Example:
      steelyard demo --out steelyard-demo
    """
    note("gate and audit in seconds, the board in about two minutes on two quiet cores; finished parts are kept")
    with Bars() as bars:
        show: Show = lambda document: bars.print(on_terminal(document))
        result = api.demo(replace(spec, notify=bars.note, progress=bars.tell, show=show))
    for line in result.left_out:
        note(f"left out: {line}")
    for problem in result.problems:
        note(f"! {problem}")
    click.echo(f"Open {result.page.resolve()}")
    return Exit.UNANSWERED if result.problems else Exit.FINE
