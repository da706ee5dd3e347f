"""`steelyard`: the root command and its groups. Commands are imported only when they are called."""

from __future__ import annotations

import click

from steelyard import __version__
from steelyard.cli.exit import Lazy, LazyRoot

COMMANDS = {
    "bench": ("main", "Who is best? Run SA Bench, read logs, make a leaderboard."),
    "audit": ("main", "Did it find what we know is there? Score against an answer key."),
    "gate": ("main", "May this change ship? Compare two configurations, give a verdict."),
    "judge": ("main", "Calibrate and attack the judge that grades answers."),
    "rescore": ("grading", "Grade runs that have no score yet, in logs of any kind."),
    "status": ("machine", "How far are my runs? Read from their logs, also while they run."),
    "demo": ("machine", "See all of it run offline on embedded subjects."),
    "doctor": ("machine", "Show what works on this machine, and how to fix what does not."),
    "setup": ("machine", "Install the pinned Node tools and the embedded model."),
    "view": ("machine", "Serve a folder with a page on this machine."),
}

BENCH = {
    "run": ("boards", "Run SA Bench on models; ends in the board."),
    "board": ("boards", "Make a leaderboard from eval logs, or a table of the items."),
    "compare": ("moves", "Two models, or two boards: what flipped, moved, agrees?"),
    "history": ("moves", "How models did over published boards."),
    "try": ("items:attempt", "Score one answer, or see whether CDK apps synthesize."),
    "submit": ("boards", "Make a submission of logs for whoever maintains a board."),
    "check": ("items", "Check a submission; or data and scorers; or print a schema."),
    "new": ("items", "Write a folder to start a bench of your own from."),
}

AUDIT = {
    "score": ("audit", "Score runs (files, a log, a suite) against an answer key."),
    "run": ("audit", "Let an agent read a document several times, then score it."),
    "check": ("audit", "Show what is read from a key, a run or a scoring file."),
    "mark": ("marking", "Mark runs by hand: on a local page, a sheet, or by any chat."),
    "compare": ("audit", "Did the agent get better between two results, or over rounds?"),
    "plant": ("marking", "Plant proved bugs into your repository, with their key."),
    "example": ("audit", "Score a shipped suite, offline; or copy it to start your own."),
}

GATE = {
    "init": ("tasks", "Write a first steelyard.yaml and a first task."),
    "compare": ("verdicts", "Compare two sides: logs, folders of logs or results files."),
    "run": ("verdicts", "Run the tasks under two configurations and compare them."),
    "blame": ("verdicts", "Find which part harms, helps, or changes nothing."),
    "prune": ("verdicts", "Leave out what harms or changes nothing, and test the rest."),
    "bisect": ("verdicts", "Find the commit that made the configuration worse."),
    "harvest": ("tasks", "Make tasks from the history of a repository."),
    "check": ("tasks", "Check tasks, a configuration, or whether a verdict holds."),
    "plan": ("tasks", "What can a suite detect? What does it cost, what does it vary by?"),
    "watch": ("upkeep", "Say whether the baseline moved although nobody changed it."),
    "accept": ("upkeep", "Decide one proposal of a loop that improves itself."),
    "quarantine": ("upkeep", "Set tasks or checks aside for a while."),
    "waive": ("upkeep", "Accept the loss of a task for a while."),
    "promote": ("upkeep", "Open the pull request that a verdict has earned, or comment."),
    "example": ("verdicts", "Run the shipped example, offline."),
}

JUDGE = {
    "calibrate": ("grading", "Measure a judge against labelled responses."),
    "attack": ("grading", "Run every known attack against a judge."),
}


@click.group(cls=LazyRoot, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
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


@click.group(cls=Lazy, lazy=BENCH)
def bench() -> None:
    """Who is best? SA Bench: a practice exam, architecture design and CDK synthesis.

    Example: steelyard bench run --model steelyard/floor --log-dir logs
    """


@click.group(cls=Lazy, lazy=AUDIT)
def audit() -> None:
    """Did it find what we know is there? Weigh a reviewer's findings against an answer key, over several runs.

    \b
    Example:
      steelyard audit example
      steelyard audit score --key key.md --run run1.md --run run2.md --lexical
      steelyard audit run --key key.md --document doc.md --agent agent.md \\
        --model steelyard/smollm2 --lexical
    """


@click.group(cls=Lazy, lazy=GATE)
def gate() -> None:
    """May this change ship? Run two configurations on the same tasks and compare the results.

    \b
    Example:
      steelyard gate example
      steelyard gate run --tasks tasks --baseline git:main --candidate . \\
        --agent claude-code
      steelyard gate compare before.json after.json
    """


@click.group(cls=Lazy, lazy=JUDGE)
def judge() -> None:
    """Calibrate and attack the judge that grades answers.

    \b
    Example:
      steelyard judge attack --judge scripted/copier
    """
