"""Options that several commands of the gate share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from steelyard.cli.options import Number, Place, rare
from steelyard.gate.agents import NAMES

F = TypeVar("F", bound=Callable[..., Any])

threshold_option = rare(
    "--threshold", "thresholds", multiple=True, metavar="NAME=VALUE", help="Override a threshold; repeatable."
)
settings_option = click.option(
    "--settings", "--config", type=click.Path(path_type=Path), help="Settings file [default: steelyard.yaml]."
)

tasks_option = click.option("--tasks", type=click.Path(path_type=Path), help="Folder of tasks.")
minutes_option = rare(
    "--budget-minutes", type=Number(min=0, min_open=True), help="Start no round that would take longer."
)


def log_dir_option(default: Path) -> Callable[[F], F]:
    """Add `--log-dir`; the function gets a location."""
    text = "Where the logs go; start again with it to continue."
    return click.option("--log-dir", type=Place(), default=default, show_default=True, help=text)


store_option = rare(
    "--store", metavar="PLACE", help="Folder or URL that keeps the runs of arms; --baseline stored reads it."
)
ledger_option = rare(
    "--ledger",
    metavar="PLACE",
    help="Where attempts are counted: a folder, a URL, or git:REF [default: beside the logs].",
)


def agent_options(function: F, *, several: bool = False) -> F:
    """Add the options that say who does the tasks, and what may be spent on it; `several` allows more than one."""
    more = "; repeatable" if several else ""
    options = (
        click.option("--agent", multiple=several, help=f"One of {', '.join(NAMES)}{more}."),
        rare("--agent-command", metavar="WORDS", help="Program and arguments of the command agent."),
        rare("--agent-version", metavar="VERSION", help="Version of the client, installed if need be."),
        rare("--direct", is_flag=True, help="Let a command-line agent call its provider with its own key."),
        rare("--agent-env", multiple=True, metavar="NAME", help="A variable the agent may see; repeatable."),
        rare("--sandbox", metavar="NAME", help="bubblewrap, docker, docker:IMAGE or an Inspect sandbox."),
        rare("--network", type=click.Choice(["none", "host"]), help="Network of the agent's sandbox."),
        rare("--trust-telemetry", is_flag=True, help="Count costs that a command agent claims."),
        click.option("--model", multiple=several, help=f"Model of the agent{more}."),
        rare("--max-samples", type=click.IntRange(1, 256), help="Runs at a time, of both arms together."),
        rare("--repo", type=click.Path(path_type=Path), help="Repository for git:REF [default: the current folder]."),
        click.option("--budget-usd", type=Number(min=0, min_open=True), help="Make no call once this is spent."),
        rare("--prices", type=click.Path(path_type=Path), help="Price list for a budget: JSON or YAML."),
        rare("--allow-unknown-cost", is_flag=True, help="Keep a budget although the cost of some runs is unknown."),
    )
    for option in reversed(options):
        function = option(function)
    return function
