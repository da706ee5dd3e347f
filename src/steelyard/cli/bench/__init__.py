"""`steelyard bench …`: run SA Bench, read its logs, make, check and compare leaderboards."""

from __future__ import annotations

import click

from steelyard.cli.exit import Lazy

COMMANDS = {
    "run": ("steelyard.cli.bench.run:run", "Run SA Bench on models; ends in the board."),
    "board": ("steelyard.cli.bench.board:board", "Make a leaderboard from eval logs."),
    "reproduce": ("steelyard.cli.bench.reproduce:reproduce", "Do fresh logs agree with a published board?"),
    "drift": ("steelyard.cli.bench.drift:drift", "Has a score left the interval an earlier board gave it?"),
    "diff": ("steelyard.cli.bench.diff:diff", "Which items flipped between two models or two boards?"),
    "items": ("steelyard.cli.bench.items:items", "How often each item is solved, and what it separates."),
    "selftest": ("steelyard.cli.bench.selftest:selftest", "Check data, references and scorers before spending money."),
    "rescore": ("steelyard.cli.bench.rescore:rescore", "Grade what a judge left open, without asking the model again."),
    "schema": ("steelyard.cli.bench.schema:schema", "Print the JSON Schema of a leaderboard, or of your own items."),
    "new": ("steelyard.cli.bench.new:new", "Write a folder to start a bench of your own from."),
    "score": ("steelyard.cli.bench.score:score", "Score one answer to one item, and say why."),
    "verify": ("steelyard.cli.bench.verify:verify", "Verify one CDK app as the benchmark would."),
}


@click.group(cls=Lazy, lazy=COMMANDS)
def bench() -> None:
    """Who is best? SA Bench: a practice exam, architecture design and CDK synthesis.

    Example: steelyard bench run --model steelyard/floor --log-dir logs
    """
