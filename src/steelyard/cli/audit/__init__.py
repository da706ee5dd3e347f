"""`steelyard audit`: did the agent find what we know is there?"""

from __future__ import annotations

import click

from steelyard.cli.exit import Lazy

COMMANDS = {
    "score": ("steelyard.cli.audit.score:score", "Score runs (files, a log, a suite) against an answer key."),
    "run": ("steelyard.cli.audit.run:run", "Let an agent read a document several times, then score it."),
    "check": ("steelyard.cli.audit.check:check", "Show what is read from a key, a run or a scoring file."),
    "mark": ("steelyard.cli.audit.mark:mark", "Mark runs by hand: on a local page, a sheet, or by any chat."),
    "compare": ("steelyard.cli.audit.compare:compare", "Did the agent get better between two results, or over rounds?"),
    "plant": ("steelyard.cli.audit.plant:plant", "Plant proved bugs into your repository, with their key."),
    "example": ("steelyard.cli.audit.score:example", "Score a shipped suite, offline; or copy it to start your own."),
}


@click.command(cls=Lazy, lazy=COMMANDS)
def audit() -> None:
    """Did it find what we know is there? Weigh a reviewer's findings against an answer key, over several runs.

    \b
    Example:
      steelyard audit example
      steelyard audit score --key key.md --run run1.md --run run2.md --lexical
      steelyard audit run --key key.md --document doc.md --agent agent.md \\
        --model steelyard/smollm2 --lexical
    """
