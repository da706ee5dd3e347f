"""Runs on engines: a run as a definition that workers can read, and its share in a worker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.own import bench_suite

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

    from steelyard.bench.run import Execute
    from steelyard.bench.run.plan import RunSpec
    from steelyard.engine.definition import Definition
    from steelyard.engine.drive import Drive
    from steelyard.engine.protocol import EngineOptions

Progress = Callable[[str, int, int], None]
"""Called with (what is running, how many tasks have ended, out of how many)."""


def bench_on(spec: RunSpec, options: EngineOptions, dataset: Path | None, progress: Progress) -> Execute:
    """What makes `bench.run.run` use an engine."""
    from steelyard.engine.drive import drive

    def execute(define: Callable[[], list[EvalLog]]) -> tuple[list[EvalLog], list[str]]:
        driven = _drive(spec, options, dataset, progress)
        with closing(driven.engine):
            logs, problems = drive(driven, define)
        return logs, problems

    return execute


def bench_preview(spec: RunSpec, options: EngineOptions, dataset: Path | None = None) -> str:
    """Show what an engine would start for a run of SA Bench.

    Args:
        spec: A `steelyard.bench.run.plan.RunSpec`.
        options: The engine, and how many workers it may use.
        dataset: The folder of the run's own items, if it has one.

    Returns:
        Commands, or a job array. The files that they name are written into `.engine` below the log folder.

    Raises:
        InputError: The options do not fit together.
        ModelError: A model cannot be used.
    """
    from steelyard.bench.run import run
    from steelyard.engine.drive import preview

    driven = _drive(spec, options, dataset, lambda what, done, total: None)
    with closing(driven.engine):
        return preview(driven, lambda: run(spec))


def share(definition: Definition) -> tuple[str, ...]:
    """Run the tasks of a run that `INSPECT_EVAL_SET_SELECTION` selects, if this machine has the same data."""
    from steelyard.bench.run import fingerprints, run
    from steelyard.bench.run.plan import RunSpec

    arguments: dict[str, Any] = dict(definition.arguments)
    suite, dataset = arguments.pop("suite"), arguments.pop("dataset")
    arguments |= {name: Path(arguments[name]) for name in ("log_dir", "prices") if arguments[name] is not None}
    arguments |= {name: tuple(arguments[name]) for name in ("models", "categories", "judges")}
    spec = RunSpec(**arguments, suite=bench_suite(suite, dataset=dataset))
    definition.require_same(fingerprints(spec))
    return run(spec).problems


def _drive(spec: RunSpec, options: EngineOptions, dataset: Path | None, progress: Progress) -> Drive:
    from steelyard.engine import find_engine
    from steelyard.engine.drive import Drive
    from steelyard.errors import InputError

    if spec.budget_usd is not None:
        raise InputError(
            f"a budget cannot be kept by the engine {options.name}: its workers do not know what the others spend",
            cure="--engine local, or no --budget-usd",
        )
    log_dir = str(spec.log_dir.absolute())
    return Drive(_definition(spec, log_dir, dataset), log_dir, find_engine(options), options.name, progress)


def _definition(spec: RunSpec, log_dir: str, dataset: Path | None) -> Definition:
    from steelyard.bench.run import fingerprints
    from steelyard.engine.definition import Definition

    arguments: dict[str, Any] = {field.name: getattr(spec, field.name) for field in fields(spec)}
    arguments |= {name: list(arguments[name]) for name in ("models", "categories", "judges")}
    arguments |= {name: dict(arguments[name]) for name in ("model_args", "model_roles", "generate_config")}
    arguments |= {
        "log_dir": log_dir,
        "prices": None if spec.prices is None else str(spec.prices.absolute()),
        "suite": "official" if dataset is not None else spec.suite.name,
        "dataset": None if dataset is None else str(Path(dataset).absolute()),
        # One diagram mode for all subjects: a worker that looked at its share alone might choose another one.
        "diagrams": _diagrams(spec),
    }
    return Definition("bench", arguments, fingerprints(spec))


def _diagrams(spec: RunSpec) -> str:
    from steelyard.bench.run import diagram_mode

    return diagram_mode(spec)
