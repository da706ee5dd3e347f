"""`steelyard bench …`: run SA Bench, read its logs, make, check and compare leaderboards."""

from __future__ import annotations

import click

from steelyard.cli.exit import Lazy

COMMANDS = {
    "run": ("steelyard.cli.bench.run:run", "Run SA Bench on models; ends in the board."),
    "board": ("steelyard.cli.bench.board:board", "Make a leaderboard from eval logs, or a table of the items."),
    "compare": ("steelyard.cli.bench.compare:compare", "Two models, or two boards: what flipped, moved, agrees?"),
    "history": ("steelyard.cli.bench.board:history", "How models did over published boards."),
    "try": ("steelyard.cli.bench.attempt:attempt", "Score one answer, or see whether CDK apps synthesize."),
    "submit": ("steelyard.cli.bench.board:submit", "Make a submission of logs for whoever maintains a board."),
    "check": (
        "steelyard.cli.bench.check:check",
        "Check a submission; or data and scorers; or print a schema.",
    ),
    "new": ("steelyard.cli.bench.attempt:new", "Write a folder to start a bench of your own from."),
}


@click.group(cls=Lazy, lazy=COMMANDS)
def bench() -> None:
    """Who is best? SA Bench: a practice exam, architecture design and CDK synthesis.

    Example: steelyard bench run --model steelyard/floor --log-dir logs
    """
