"""`steelyard judge`: calibrate and attack the judge that grades answers."""

from __future__ import annotations

import click

from steelyard.cli.exit import Lazy

COMMANDS = {
    "calibrate": ("steelyard.cli.judge.measure:calibrate", "Measure a judge against labelled responses."),
    "attack": ("steelyard.cli.judge.measure:attack", "Run every known attack against a judge."),
}


@click.group(cls=Lazy, lazy=COMMANDS)
def judge() -> None:
    """Calibrate and attack the judge that grades answers.

    \b
    Example:
      steelyard judge attack --judge scripted/copier
    """
