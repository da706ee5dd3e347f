"""Runs on engines: a run as a definition that workers can read, and its share in a worker."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.own import bench_suite

if TYPE_CHECKING:
    from inspect_ai._eval.eval_set_manifest import EvalSetCaptureTask
    from inspect_ai.log import EvalLog

    from steelyard.bench.run import Execute
    from steelyard.bench.run.plan import RunSpec
    from steelyard.engine.definition import Definition
    from steelyard.engine.drive import Drive
    from steelyard.engine.protocol import Engine, EngineOptions
    from steelyard.gate.run.evaluation import Execute as GateExecute
    from steelyard.gate.run.plan import RunSpec as GateSpec
    from steelyard.gate.run.plan import Unit
    from steelyard.gate.tasks import ArmSpec
    from steelyard.location import Location

Progress = Callable[[str, int, int], None]
"""Called with (what is running, how many tasks have ended, out of how many)."""


def unless_driven(engine: EngineOptions | None) -> EngineOptions | None:
    """The engine of a run; none if another runner lists or selects its tasks, because then that one is the engine."""
    from steelyard.logs.evaluate import mode

    return engine if engine is not None and mode() == "whole" else None


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
    definition.enter_folder()
    return _bench_share(definition) if definition.wing == "bench" else _gate_share(definition)


def _bench_share(definition: Definition) -> tuple[str, ...]:
    from steelyard.bench.run import fingerprints, run
    from steelyard.bench.run.plan import RunSpec
    from steelyard.engine.drive import FOLDER
    from steelyard.engine.stop import FILE, stopped
    from steelyard.location import location

    arguments: dict[str, Any] = dict(definition.arguments)
    suite, dataset = arguments.pop("suite"), arguments.pop("dataset")
    arguments |= {name: location(arguments[name]) for name in ("log_dir", "prices") if arguments[name] is not None}
    arguments |= {name: tuple(arguments[name]) for name in ("models", "categories", "judges")}
    spec = RunSpec(**arguments, suite=bench_suite(suite, dataset=dataset))
    definition.require_same(fingerprints(spec))
    return run(spec, stopped=stopped(spec.log_dir / FOLDER / FILE)).problems


@contextmanager
def gate_on(spec: GateSpec, options: EngineOptions, progress: Progress) -> Generator[GateExecute]:
    """What makes `gate.run.gate_run` use an engine; its workers stay for all rounds.

    Waits for workers of a driver that is gone: what is still to run can be told once their logs are there.
    """
    from steelyard.engine import find_engine
    from steelyard.engine.drive import FOLDER, await_earlier, drive
    from steelyard.errors import LogError
    from steelyard.gate.run.evaluation import one_by_one

    with closing(find_engine(options)) as engine:
        await_earlier(engine, spec.log_dir / FOLDER, options.name, progress)

        def execute(units: Sequence[Unit], define: Callable[[Sequence[Unit]], list[EvalLog]]) -> list[EvalLog]:
            pairs = one_by_one(units)
            lanes = _lanes(spec, options)
            run = _gate_drive(spec, pairs, engine, options.name, progress, lanes)
            logs, problems = drive(run, lambda: define(pairs))
            if problems:
                raise LogError(problems[0], cure="fix that, then run the same command to continue")
            return logs

        yield execute


def gate_preview(spec: GateSpec, options: EngineOptions) -> str:
    """Show what an engine would start for a gate run; under `adaptive`, for its next round.

    Args:
        spec: A `steelyard.gate.run.plan.RunSpec`.
        options: The engine, and how many workers it may use.

    Returns:
        Commands, or a job array. The files that they name are written into `.engine` below the log folder.

    Raises:
        InputError: Tasks or configurations cannot be used, or the log folder contains other runs.
        AgentError: The agent is not available.
        ToolchainError: The engine is not available.
    """
    from steelyard.engine import find_engine
    from steelyard.engine.drive import preview
    from steelyard.gate.run.evaluation import evaluate, one_by_one
    from steelyard.gate.run.plan import plan

    planned = plan(spec)
    pairs = one_by_one(planned.units[:1] if spec.policy.adaptive else planned.units)
    if not pairs:
        return "nothing is left to run\n"
    with closing(find_engine(options)) as engine:
        run = _gate_drive(spec, pairs, engine, options.name, lambda what, done, total: None)
        return preview(run, lambda: evaluate(spec, planned.arms, pairs))


def _gate_drive(
    spec: GateSpec, pairs: Sequence[Unit], engine: Engine, name: str, progress: Progress, lanes: int | None = None
) -> Drive:
    from steelyard.engine.drive import Drive

    together = _pair if lanes is None else partial(_lane, lanes)
    return Drive(_gate_definition(spec, pairs), _absolute(spec.log_dir), engine, name, progress, together)


def _lanes(spec: GateSpec, options: EngineOptions) -> int | None:
    """Into how many jobs the pairs of a blame go: a process takes seconds to start, and they are many. None: a job
    for each pair."""
    alone = spec.parts is None or options.name != "processes"
    return None if alone else options.workers or os.cpu_count() or 1


def _lane(lanes: int, task: EvalSetCaptureTask) -> str:
    """The pairs of blame that one worker runs: both runs of a pair are among them."""
    return f"lane {int(task.args['round']) % lanes}"


def _absolute(folder: Location) -> str:
    return str(folder.absolute()) if isinstance(folder, Path) else str(folder)


def _pair(task: EvalSetCaptureTask) -> str:
    """Both arms of one task in one round: one worker runs them side by side."""
    return json.dumps({name: value for name, value in task.args.items() if name != "arm"}, sort_keys=True)


def _gate_share(definition: Definition) -> tuple[str, ...]:
    from pydantic import TypeAdapter

    from steelyard.gate.agents import AgentSpec
    from steelyard.gate.blame.parts import PartRules
    from steelyard.gate.run.evaluation import evaluate, require_whole
    from steelyard.gate.run.plan import RunSpec, Unit, load_arms
    from steelyard.judge.panel import Panel
    from steelyard.location import location

    given = definition.arguments
    spec = RunSpec(
        tasks=Path(given["tasks"]),
        baseline=given["baseline"],
        candidate=given["candidate"],
        agent=TypeAdapter(AgentSpec).validate_python(given["agent"]),
        log_dir=location(given["log_dir"]),
        panel=TypeAdapter(Panel | None).validate_python(given["panel"]),
        baseline_log=given["baseline_log"],
        repo=None if given["repo"] is None else Path(given["repo"]),
        max_samples=given["max_samples"],
        skill=given["skill"],
        tools=tuple(given["tools"]),
        base=given["base"],
        only=None if given["only"] is None else tuple(given["only"]),
        judge_mode=given["judge_mode"],
        budget_usd=given["budget_usd"],
        allow_unknown_cost=given["allow_unknown_cost"],
        prices=None if given["prices"] is None else Path(given["prices"]),
        parts=TypeAdapter(PartRules | None).validate_python(given["parts"]),
    )
    arms = load_arms(spec)
    definition.require_same(_gate_fingerprints(arms))
    require_whole(evaluate(spec, arms, TypeAdapter(list[Unit]).validate_python(given["units"])))
    return ()


def _gate_definition(spec: GateSpec, units: Sequence[Unit]) -> Definition:
    from pydantic import TypeAdapter

    from steelyard.engine.definition import Definition
    from steelyard.gate.run.plan import Unit, load_arms

    arguments = {
        "tasks": str(spec.tasks),
        "baseline": spec.baseline,
        "candidate": spec.candidate,
        "agent": asdict(spec.agent),
        "log_dir": _absolute(spec.log_dir),
        "panel": None if spec.panel is None else asdict(spec.panel),
        "baseline_log": spec.baseline_log,
        "repo": None if spec.repo is None else str(spec.repo),
        "max_samples": spec.max_samples,
        "skill": spec.skill,
        "tools": list(spec.tools),
        "judge_mode": spec.judge_mode,
        "base": spec.base,
        "only": None if spec.only is None else list(spec.only),
        "budget_usd": spec.budget_usd,
        "allow_unknown_cost": spec.allow_unknown_cost,
        "prices": None if spec.prices is None else _absolute(spec.prices),
        "parts": None if spec.parts is None else asdict(spec.parts),
        "units": TypeAdapter(list[Unit]).dump_python(list(units), mode="json"),
    }
    return Definition("gate", arguments, _gate_fingerprints(load_arms(spec)))


def _gate_fingerprints(arms: Mapping[Any, ArmSpec]) -> dict[str, Any]:
    from steelyard.gate.tasks import fingerprint

    return {
        f"the {name}": {**json.loads(json.dumps(asdict(fingerprint(arm)))), "config": arm.config.sha}
        for name, arm in arms.items()
    }


def _drive(spec: RunSpec, options: EngineOptions, dataset: Path | None, progress: Progress) -> Drive:
    from steelyard.engine import find_engine
    from steelyard.engine.drive import Drive

    log_dir = _absolute(spec.log_dir)
    definition, stop = _definition(spec, log_dir, dataset), _out_of_money(log_dir, spec.budget_usd)
    return Drive(definition, log_dir, find_engine(options), options.name, progress, stop=stop)


def _out_of_money(log_dir: str, budget_usd: float | None) -> Callable[[], str | None] | None:
    """Says when the logs show that this start has spent its budget; None without a budget."""
    from steelyard.bench.run.budget import spent
    from steelyard.status.cost import Spending

    if budget_usd is None:
        return None
    spending = Spending(log_dir)
    return lambda: spent(budget_usd) if spending.since_start() >= budget_usd else None


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
