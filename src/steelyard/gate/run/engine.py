"""A gate run on an engine: as a definition that workers can read, and its share in a worker."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import cache, partial
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import TypeAdapter

from steelyard.engine.definition import Definition, absolute
from steelyard.errors import LogError
from steelyard.gate.run import gate_run
from steelyard.gate.run.evaluation import Execute, evaluate, one_by_one, require_whole
from steelyard.gate.run.plan import RunSpec, Unit, load_arms, plan
from steelyard.gate.tasks import ArmSpec, fingerprint
from steelyard.location import location
from steelyard.logs.evaluate import mode

if TYPE_CHECKING:
    from inspect_ai._eval.eval_set_manifest import EvalSetCaptureTask
    from inspect_ai.log import EvalLog

    from steelyard.engine.drive import Drive
    from steelyard.engine.protocol import Engine, EngineOptions
    from steelyard.gate.model import Weighed

Progress = Callable[[str, int, int], None]
"""Called with (what is running, how many tasks have ended, out of how many)."""

_SHARED = (
    *("tasks", "baseline", "candidate", "agent", "log_dir", "panel", "baseline_log", "repo", "max_samples", "skill"),
    *("tools", "judge_mode", "base", "only", "budget_usd", "allow_unknown_cost", "prices", "parts"),
)
"""What a worker has to know of a run; rounds, policy and settings are the driver's."""


@contextmanager
def on_engine(spec: RunSpec, options: EngineOptions | None, progress: Progress) -> Generator[Execute | None]:
    """What makes `gate.run.gate_run` use an engine, whose workers stay for all rounds; None: it runs here.

    It runs here too if another runner lists or selects the tasks, because then that one is the engine. Waits for
    workers of a driver that is gone: what is still to run can be told once their logs are there.
    """
    from steelyard.engine import find_engine
    from steelyard.engine.drive import FOLDER, await_earlier, drive

    if options is None or mode() != "whole":
        yield None
        return
    with closing(find_engine(options)) as engine:
        await_earlier(engine, spec.log_dir / FOLDER, options.name, progress)

        def execute(units: Sequence[Unit], define: Callable[[Sequence[Unit]], list[EvalLog]]) -> list[EvalLog]:
            pairs = one_by_one(units)
            run = _drive(spec, pairs, engine, options.name, progress, _lanes(spec, options))
            logs, problems = drive(run, lambda: define(pairs))
            if problems:
                raise LogError(problems[0], cure="fix that, then run the same command to continue")
            return logs

        yield execute


def run_on(
    spec: RunSpec,
    options: EngineOptions | None = None,
    notify: Callable[[str], None] = lambda line: None,
    progress: Progress = lambda what, done, total: None,
) -> Weighed:
    """`gate.run.gate_run`, on an engine if there is one."""
    with on_engine(spec, options, progress) as execute:
        return gate_run(spec, notify, progress, execute)


def preview(spec: RunSpec, options: EngineOptions) -> str:
    """What the engine would start; under `adaptive`, for the next round."""
    from steelyard.engine import drive, find_engine

    planned = plan(spec)
    pairs = one_by_one(planned.units[:1] if spec.policy.adaptive else planned.units)
    if not pairs:
        return "nothing is left to run\n"
    with closing(find_engine(options)) as engine:
        run = _drive(spec, pairs, engine, options.name, lambda what, done, total: None)
        return drive.preview(run, lambda: evaluate(spec, planned.arms, pairs))


def share(definition: Definition) -> tuple[str, ...]:
    """Run the tasks that `INSPECT_EVAL_SET_SELECTION` selects, if this machine has the same data."""
    given = definition.arguments
    read: dict[str, Any] = {name: adapter.validate_python(given[name]) for name, adapter in _adapters().items()}
    read["log_dir"] = location(given["log_dir"])
    spec = RunSpec(**read)
    arms = load_arms(spec)
    definition.require_same(_fingerprints(arms))
    require_whole(evaluate(spec, arms, TypeAdapter(list[Unit]).validate_python(given["units"])))
    return ()


def _drive(
    spec: RunSpec, pairs: Sequence[Unit], engine: Engine, name: str, progress: Progress, lanes: int | None = None
) -> Drive:
    from steelyard.engine.drive import Drive

    together = _pair if lanes is None else partial(_lane, lanes)
    return Drive(_definition(spec, pairs), absolute(spec.log_dir), engine, name, progress, together)


def _lanes(spec: RunSpec, options: EngineOptions) -> int | None:
    """Into how many jobs the pairs of a blame go: a process takes seconds to start, and they are many. None: a job
    for each pair."""
    alone = spec.parts is None or options.name != "processes"
    return None if alone else options.workers or os.cpu_count() or 1


def _lane(lanes: int, task: EvalSetCaptureTask) -> str:
    """The pairs of blame that one worker runs: both runs of a pair are among them."""
    return f"lane {int(task.args['round']) % lanes}"


def _pair(task: EvalSetCaptureTask) -> str:
    """Both arms of one task in one round: one worker runs them side by side."""
    return json.dumps({name: value for name, value in task.args.items() if name != "arm"}, sort_keys=True)


@cache
def _adapters() -> dict[str, TypeAdapter[Any]]:
    """What is shared of a run, as JSON data and back; where the logs are may be a URL."""
    # `Location` is imported for type checkers only, so its name has to be given here.
    hints = get_type_hints(RunSpec, localns={"Location": Any})
    return {name: TypeAdapter(hints[name]) for name in _SHARED}


def _definition(spec: RunSpec, units: Sequence[Unit]) -> Definition:
    told = {name: adapter.dump_python(getattr(spec, name), mode="json") for name, adapter in _adapters().items()}
    told["log_dir"] = absolute(spec.log_dir)
    told["prices"] = None if spec.prices is None else absolute(spec.prices)
    told["units"] = TypeAdapter(list[Unit]).dump_python(list(units), mode="json")
    return Definition("gate", told, _fingerprints(load_arms(spec)))


def _fingerprints(arms: Mapping[Any, ArmSpec]) -> dict[str, Any]:
    return {
        f"the {name}": {**json.loads(json.dumps(asdict(fingerprint(arm)))), "config": arm.config.sha}
        for name, arm in arms.items()
    }
