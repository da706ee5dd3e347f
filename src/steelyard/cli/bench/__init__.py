"""`steelyard bench …`: run SA Bench, read its logs, make, check and compare leaderboards."""

from __future__ import annotations

import click

from steelyard.cli.exit import Lazy

COMMANDS = {
    "run": ("steelyard.cli.bench.run:run", "Run SA Bench on models; ends in the board."),
    "board": ("steelyard.cli.bench.board:board", "Make a leaderboard from eval logs."),
    "compare": ("steelyard.cli.bench.compare:compare", "Two models, or two boards: what flipped, moved, agrees?"),
    "history": ("steelyard.cli.bench.history:history", "How models did over published boards."),
    "items": ("steelyard.cli.bench.items:items", "How often each item is solved, and what it separates."),
    "try": ("steelyard.cli.bench.attempt:attempt", "Score one answer, or see whether CDK apps synthesize."),
    "submit": ("steelyard.cli.bench.submit:submit", "Make a submission of logs for whoever maintains a board."),
    "check": ("steelyard.cli.bench.check:check", "Check a submission; or data, references and scorers."),
    "schema": ("steelyard.cli.bench.schema:schema", "Print the JSON Schema of a leaderboard, or of your own items."),
    "new": ("steelyard.cli.bench.new:new", "Write a folder to start a bench of your own from."),
}


@click.group(cls=Lazy, lazy=COMMANDS)
def bench() -> None:
    """Who is best? SA Bench: a practice exam, architecture design and CDK synthesis.

    Example: steelyard bench run --model steelyard/floor --log-dir logs
    """
