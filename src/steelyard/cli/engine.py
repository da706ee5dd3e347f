"""The options of commands that can run elsewhere than in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from steelyard.engine import ENGINES
from steelyard.engine.protocol import EngineOptions

_OPTIONS = (
    click.option("--engine", type=click.Choice(["local", *ENGINES]), default="local", show_default=True,
                 help="Where tasks run: in this process, in one process each, or on a cluster."),
    click.option("--workers", type=click.IntRange(1), help="Workers of an engine at a time."),
)  # fmt: skip


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose an engine."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def chosen_engine(options: dict[str, Any]) -> EngineOptions | None:
    """Take these options out; None means this process."""
    name, workers = options.pop("engine"), options.pop("workers")
    return None if name == "local" else EngineOptions(name, workers)
