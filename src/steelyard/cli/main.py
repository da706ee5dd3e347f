"""`steelyard`: the root command. Commands are imported only when they are called."""

from __future__ import annotations

import click

from steelyard import __version__
from steelyard.cli.exit import LazyRoot

COMMANDS = {
    "bench": ("steelyard.cli.bench:bench", "Who is best? Run SA Bench, read logs, make a leaderboard."),
    "audit": ("steelyard.cli.audit:audit", "Did it find what we know is there? Score against an answer key."),
    "gate": ("steelyard.cli.gate:gate", "May this change ship? Compare two configurations, give a verdict."),
    "judge": ("steelyard.cli.judge:judge", "Calibrate and attack the judge that grades answers."),
    "rescore": ("steelyard.cli.rescore:rescore", "Grade runs that have no score yet, in logs of any kind."),
    "status": ("steelyard.cli.status:status", "How far are my runs? Read from their logs, also while they run."),
    "demo": ("steelyard.cli.machine:demo", "See all of it run offline on embedded subjects."),
    "doctor": ("steelyard.cli.machine:doctor", "Show what works on this machine, and how to fix what does not."),
    "setup": ("steelyard.cli.machine:setup", "Install the pinned Node tools and the embedded model."),
    "view": ("steelyard.cli.machine:view", "Serve a folder with a page on this machine."),
}


@click.command(cls=LazyRoot, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="steelyard")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Steelyard weighs models and agents: one run becomes a number, two runs become a verdict.

    Start with `steelyard demo`; everything in it runs offline.

    \b
    Examples:
      steelyard doctor
      steelyard bench run --model steelyard/floor --category practice_exam \\
        --limit 5
      steelyard bench board logs/bench --html page
    """
