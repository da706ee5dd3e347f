"""The shipped example: five small tasks, a deterministic agent, a baseline and three candidates. Runs offline."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steelyard.errors import InputError, boundary
from steelyard.gate.agents import AgentSpec
from steelyard.gate.ledger.place import FOLDER as LEDGER
from steelyard.gate.model import Weighed
from steelyard.gate.report.document import document
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.report.document import Document

if TYPE_CHECKING:
    from steelyard.location import Location

SEED = 7
"""Fixes the order of the arms, so that the example gives the same result every time."""


class ExampleResult(NamedTuple):
    """The comparison of an example run, and its report."""

    weighed: Weighed
    document: Document


def example_folder() -> Path:
    """The folder of the shipped example."""
    return Path(str(resources.files("steelyard").joinpath("examples", "gate")))


def copy_example(target: Path) -> None:
    """Copy the example to a new folder; nothing is ever overwritten."""
    if target.exists():
        raise InputError(f"{target} already exists", cure="name a folder that does not exist yet")
    with boundary(InputError, f"cannot copy the example to {target}"):
        shutil.copytree(example_folder(), target, ignore=shutil.ignore_patterns("__pycache__"))


def example_spec(log_dir: Location, candidate: str = "better", epochs: int = 1) -> RunSpec:
    """The run of one of the example's candidates."""
    folder = example_folder()
    return RunSpec(
        tasks=folder / "tasks",
        baseline=str(folder / "configs" / "baseline"),
        candidate=str(folder / "configs" / candidate),
        agent=AgentSpec("command", ("python3", str(folder / "agent.py"))),
        log_dir=log_dir,
        epochs=epochs,
        seed=SEED,
        # Every look at the example is its first: it shows a verdict, and nobody is fooled by repeating it.
        ledger=str(log_dir / LEDGER),
    )


def run_example(
    log_dir: Location, candidate: str = "better", tell: Callable[[str], None] = lambda _: None
) -> ExampleResult:
    """Run one of the example's candidates into `log_dir`; a second call only compares the logs."""
    weighed = gate_run(example_spec(log_dir, candidate), tell)
    return ExampleResult(weighed, document(weighed))
