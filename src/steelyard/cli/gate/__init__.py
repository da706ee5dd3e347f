"""`steelyard gate`: may this change ship?"""

from __future__ import annotations

import click

from steelyard.cli.exit import Lazy

COMMANDS = {
    "init": ("steelyard.cli.gate.harvest:init", "Write a first steelyard.yaml and a first task."),
    "compare": ("steelyard.cli.gate.compare:compare", "Compare two sides: logs, folders of logs or results files."),
    "run": ("steelyard.cli.gate.run:run", "Run the tasks under two configurations and compare them."),
    "blame": ("steelyard.cli.gate.blame:blame", "Find which part harms, helps, or changes nothing."),
    "prune": ("steelyard.cli.gate.blame:prune", "Leave out what harms or changes nothing, and test the rest."),
    "bisect": ("steelyard.cli.gate.blame:bisect", "Find the commit that made the configuration worse."),
    "harvest": ("steelyard.cli.gate.harvest:harvest", "Make tasks from the history of a repository."),
    "check": ("steelyard.cli.gate.check:check", "Check tasks, a configuration, or whether a verdict holds."),
    "plan": ("steelyard.cli.gate.plan:plan", "What can a suite detect? What does it cost, what does it vary by?"),
    "watch": ("steelyard.cli.gate.watch:watch", "Say whether the baseline moved although nobody changed it."),
    "accept": ("steelyard.cli.gate.watch:accept", "Decide one proposal of a loop that improves itself."),
    "quarantine": ("steelyard.cli.gate.quarantine:quarantine", "Set tasks or checks aside for a while."),
    "waive": ("steelyard.cli.gate.quarantine:waive", "Accept the loss of a task for a while."),
    "promote": ("steelyard.cli.gate.promote:promote", "Open the pull request that a verdict has earned, or comment."),
    "example": ("steelyard.cli.gate.run:example", "Run the shipped example, offline."),
}


@click.command(cls=Lazy, lazy=COMMANDS)
def gate() -> None:
    """May this change ship? Run two configurations on the same tasks and compare the results.

    \b
    Example:
      steelyard gate example
      steelyard gate run --tasks tasks --baseline git:main --candidate . \\
        --agent claude-code
      steelyard gate compare before.json after.json
    """
