"""A run of SA Bench on an engine: as a definition that workers can read, and its share in a worker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.bench.run import Execute, Progress, diagram_mode, fingerprints, run
from steelyard.bench.run.budget import spent
from steelyard.bench.run.plan import RunSpec
from steelyard.engine.definition import Definition, absolute

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

    from steelyard.engine.drive import Drive
    from steelyard.engine.protocol import EngineOptions
    from steelyard.engine.stop import Reason


Purse = Callable[[str], Callable[[], float]]
"""Takes a folder of logs; what it returns says how many US dollars the runs in it have cost since then."""


def on_engine(spec: RunSpec, options: EngineOptions, dataset: Path | None, progress: Progress, purse: Purse) -> Execute:
    """What makes `bench.run.run` use an engine; a spent budget stops the driver, who alone sees what all cost."""
    from steelyard.engine.drive import drive

    def execute(define: Callable[[], list[EvalLog]]) -> tuple[list[EvalLog], list[str]]:
        cost = None if spec.budget_usd is None else purse(absolute(spec.log_dir))
        budget = spec.budget_usd or 0.0
        stop = None if cost is None else lambda: spent(budget) if cost() >= budget else None
        driven = _drive(spec, options, dataset, progress, stop)
        with closing(driven.engine):
            logs, problems = drive(driven, define)
        return logs, problems

    return execute


def preview(spec: RunSpec, options: EngineOptions, dataset: Path | None) -> str:
    """What the engine would start."""
    from steelyard.engine import drive

    driven = _drive(spec, options, dataset, lambda what, done, total: None)
    with closing(driven.engine):
        return drive.preview(driven, lambda: run(spec))


def share(definition: Definition) -> tuple[str, ...]:
    """Run the tasks that `INSPECT_EVAL_SET_SELECTION` selects, if this machine has the same data."""
    from steelyard.bench.own.category import own_suite
    from steelyard.bench.suite import find_suite
    from steelyard.engine.drive import FOLDER
    from steelyard.engine.stop import FILE, stopped
    from steelyard.location import location

    arguments: dict[str, Any] = dict(definition.arguments)
    suite, dataset = arguments.pop("suite"), arguments.pop("dataset")
    arguments |= {name: location(arguments[name]) for name in ("log_dir", "prices") if arguments[name] is not None}
    arguments |= {name: tuple(arguments[name]) for name in ("models", "categories", "judges")}
    spec = RunSpec(**arguments, suite=find_suite(suite) if dataset is None else own_suite(dataset))
    # Checked before anything runs: logs made with other items would look the same.
    definition.require_same(fingerprints(spec))
    return run(spec, stopped=stopped(spec.log_dir / FOLDER / FILE)).problems


def _drive(
    spec: RunSpec, options: EngineOptions, dataset: Path | None, progress: Progress, stop: Reason | None = None
) -> Drive:
    from steelyard.engine import find_engine
    from steelyard.engine.drive import Drive

    definition = _definition(spec, dataset)
    return Drive(definition, absolute(spec.log_dir), find_engine(options), options.name, progress, stop=stop)


def _definition(spec: RunSpec, dataset: Path | None) -> Definition:
    arguments: dict[str, Any] = {field.name: getattr(spec, field.name) for field in fields(spec)}
    arguments |= {name: list(arguments[name]) for name in ("models", "categories", "judges")}
    arguments |= {name: dict(arguments[name]) for name in ("model_args", "model_roles", "generate_config")}
    arguments |= {
        "log_dir": absolute(spec.log_dir),
        "prices": None if spec.prices is None else absolute(spec.prices),
        # A worker knows own items only by their folder, from which it makes the suite itself.
        "suite": "official" if dataset is not None else spec.suite.name,
        "dataset": None if dataset is None else absolute(dataset),
        # One diagram mode for all subjects: a worker that looked at its share alone might choose another one.
        "diagrams": diagram_mode(spec),
    }
    return Definition("bench", arguments, fingerprints(spec))
