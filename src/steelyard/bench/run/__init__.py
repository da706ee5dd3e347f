"""Running SA Bench as one of Inspect's eval sets: interrupted work resumes, finished work is not repeated.

One eval set holds every category on every model, so that whatever drives eval sets can drive a run: capture lists its
tasks, selection runs some of them (`logs.evaluate`). Beyond what Inspect does: runs that our own failures left unscored
are finished first (`finish`), a budget stops new work (`budget`), the temperature is 0 unless set, and the diagram mode
`auto` is resolved once for all subjects (`task`), so that they stay comparable.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai import Task
from inspect_ai.log import EvalLog

from steelyard.bench.run.budget import Meter, TaskOnModel, metering, spent
from steelyard.bench.run.estimate import units
from steelyard.bench.run.evaluation import evaluate, failures, started, subjects, unscored_reasons
from steelyard.bench.run.finish import complete_models, finish
from steelyard.bench.run.plan import Done, RunSpec, Unit
from steelyard.bench.run.preflight import check, preflight
from steelyard.bench.run.task import diagram_mode, make_task, official_scorer
from steelyard.logs.evaluate import mode
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.identity import read_stamp

__all__ = [
    "Execute",
    "Progress",
    "complete",
    "diagram_mode",
    "fingerprints",
    "make_task",
    "official_scorer",
    "plan",
    "ready",
    "run",
]

Progress = Callable[[str, int, int], None]
"""Called with (what is running, samples that have ended, samples in all)."""


def plan(spec: RunSpec) -> list[Unit]:
    """What would run; checks first that the models and the judge exist and that a budget has its prices."""
    check(spec)
    return units(spec)


Execute = Callable[[Callable[[], list[EvalLog]]], tuple[list[EvalLog], list[str]]]
"""Takes the call of the eval set, and returns the logs of its tasks and what went wrong outside of them."""


def run(
    spec: RunSpec,
    progress: Progress = lambda what, done, total: None,
    execute: Execute | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Done:
    """Run what is not done yet; problems are returned, and raised only if nothing can run at all.

    `execute` lets an engine run the tasks of the eval set elsewhere; without it they run here. In a worker of an
    engine, `stopped` says that the budget is spent, and whoever drives the run reports it.
    With `INSPECT_EVAL_SET_CAPTURE` nothing is run or written but the list of tasks, and the process ends. With
    `INSPECT_EVAL_SET_SELECTION` only the selected tasks run, and earlier logs are left to the runner.
    """
    if mode() == "capture":
        check(spec)
        tasks = _tasks(spec)
    else:
        tasks = ready(spec)
    # Only in a whole run: workers run parts of it at the same time and would rewrite each other's logs.
    finished = sum(_finish(task, spec) for task in tasks.values()) if mode() == "whole" else 0
    models = subjects(spec)
    steps = _steps(tasks, list(models), spec)
    meter = Meter(spec.budget_usd, _reporter(steps, progress), stopped=stopped or (lambda: False))
    # On an engine nothing is spent in this process.
    with metering(meter) if execute is None else nullcontext():
        logs, problems = _executed(lambda: evaluate(list(tasks.values()), list(models.values()), spec), execute, meter)
    logs = logs if spec.budget_usd is None else started(logs)
    for step in (steps[unit] for unit in map(_unit_of, logs) if unit in steps and execute is None):
        progress(step.title, step.total, step.total)
    problems += _problems(logs, steps)
    # On an engine, the driver reports it once for all workers.
    if meter.exhausted and execute is None and stopped is None:
        problems.append(spent(spec.budget_usd))
    unpriced, unscored = tuple(sorted(meter.unpriced)), dict(_unscored(logs, steps))
    return Done(spec.log_dir, tuple(problems), meter.spent_usd, meter.tokens, unpriced, finished, unscored)


@dataclass(frozen=True, slots=True)
class _Step:
    """One category on one model while it runs."""

    model: str
    category: str
    total: int
    """Samples × epochs."""
    scorer: str
    """Whose number counts."""

    @property
    def title(self) -> str:
        """What progress calls it."""
        return f"{self.model} · {self.category}"


def ready(spec: RunSpec) -> dict[str, Task]:
    """The tasks of a run by category; raises with the cure when something is missing that this run will need."""
    check(spec)
    tasks = _tasks(spec)
    preflight(spec, tasks)
    ready_for_logs(spec.log_dir)
    return tasks


def complete(spec: RunSpec) -> bool:
    """Whether the logs hold a number for every run, under the same fingerprints: then a start would add nothing."""
    return all(set(spec.models) <= _complete_models(task, spec) for task in _tasks(spec).values())


def fingerprints(spec: RunSpec) -> dict[str, Any]:
    """Category → what data and scorer its runs have here, as JSON data; a worker must have the same."""
    stamps = {key: read_stamp(task.metadata) for key, task in _tasks(spec).items()}
    return {
        # Through JSON, because that is how workers receive theirs: a tuple would not equal the same list.
        key: None if stamp is None else json.loads(json.dumps(asdict(stamp.fingerprint)))
        for key, stamp in stamps.items()
    }


def _tasks(spec: RunSpec) -> dict[str, Task]:
    return {key: make_task(key, spec) for key in spec.categories}


def _finish(task: Task, spec: RunSpec) -> int:
    stamp = read_stamp(task.metadata)
    if stamp is None:
        return 0
    scorer, name = official_scorer(task)
    return finish(spec.log_dir, spec.models, stamp, scorer, name)


def _complete_models(task: Task, spec: RunSpec) -> set[str]:
    stamp = read_stamp(task.metadata)
    scorer = official_scorer(task)[1]
    return set() if stamp is None else complete_models(spec.log_dir, stamp, scorer, _runs(task, spec))


def _runs(task: Task, spec: RunSpec) -> int:
    return len(list(task.dataset)[: spec.limit]) * spec.epochs


def _steps(tasks: Mapping[str, Task], models: Sequence[str], spec: RunSpec) -> dict[TaskOnModel, _Step]:
    steps: dict[TaskOnModel, _Step] = {}
    for model in models:
        for key, task in tasks.items():
            name, scorer = spec.suite.categories[key].name, official_scorer(task)[1]
            steps[TaskOnModel(model, task.name)] = _Step(model, name, _runs(task, spec), scorer)
    return steps


def _reporter(steps: Mapping[TaskOnModel, _Step], progress: Progress) -> Callable[[TaskOnModel, int], None]:
    def tell(unit: TaskOnModel, samples: int) -> None:
        if (step := steps.get(unit)) is not None:
            # A sample that is retried is counted again.
            progress(step.title, min(samples, step.total), step.total)

    return tell


def _executed(
    define: Callable[[], list[EvalLog]], execute: Execute | None, meter: Meter
) -> tuple[list[EvalLog], list[str]]:
    if execute is None:
        return define(), []
    logs, problems = execute(define)
    for log in logs:  # what workers used is known from their logs alone
        for model, usage in log.stats.model_usage.items():
            meter.used(model, usage)
    return logs, problems


def _problems(logs: Sequence[EvalLog], steps: Mapping[TaskOnModel, _Step]) -> Iterator[str]:
    for unit, step in steps.items():
        for failure in failures([log for log in logs if _unit_of(log) == unit]):
            yield f"{step.model}, {step.category}: {failure}"


def _unscored(logs: Sequence[EvalLog], steps: Mapping[TaskOnModel, _Step]) -> Counter[str]:
    reasons: Counter[str] = Counter()
    for log in logs:
        if (step := steps.get(_unit_of(log))) is not None:
            reasons += unscored_reasons([log], step.scorer)
    return reasons


def _unit_of(log: EvalLog) -> TaskOnModel:
    return TaskOnModel(log.eval.model, log.eval.task)
