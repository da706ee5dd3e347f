"""The options of commands that can run elsewhere than in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from steelyard.cli.options import Number, rare
from steelyard.engine import ENGINES
from steelyard.engine.protocol import EngineOptions
from steelyard.errors import InputError

_OPTIONS = (
    click.option("--engine", type=click.Choice(["local", *ENGINES]), default="local", show_default=True,
                 help="Where tasks run: in this process, in one process each, or on a cluster."),
    rare("--workers", type=click.IntRange(1), help="Workers of an engine at a time."),
    rare("--worker-cpus", type=Number(0, min_open=True), default=1.0, show_default=True,
                 help="Processors that a worker reserves on a cluster."),
    rare("--worker-memory-gb", type=Number(0, min_open=True),
                 help="Memory that a worker reserves on a cluster."),
    rare("--ray-address", metavar="ADDRESS",
                 help="HOST:6379, ray://HOST:10001 or auto [default: a cluster that runs here, or a new one]."),
)  # fmt: skip


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose an engine."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def chosen_engine(options: dict[str, Any]) -> EngineOptions | None:
    """Take these options out; None means this process."""
    name, address = options.pop("engine"), options.pop("ray_address")
    if address is not None and name != "ray":
        raise InputError("--ray-address needs --engine ray")
    engine = EngineOptions(
        name, options.pop("workers"), options.pop("worker_cpus"), options.pop("worker_memory_gb"), address
    )
    return None if name == "local" else engine
