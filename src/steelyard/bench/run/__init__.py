"""Running SA Bench on Inspect's eval sets: interrupted work resumes, finished work is not repeated.

One eval set per model and category, one after the other. Beyond what Inspect does: runs that our own failures left
unscored are finished first (`finish`), a budget stops new work (`budget`), the temperature is 0 unless set, and the
diagram mode `auto` is resolved once for all subjects (`task`), so that they stay comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from inspect_ai import Task

from steelyard.bench.run.budget import Meter, metering
from steelyard.bench.run.estimate import units
from steelyard.bench.run.evaluation import evaluate, failures, unscored_reasons
from steelyard.bench.run.finish import finish
from steelyard.bench.run.plan import Done, RunSpec, Unit
from steelyard.bench.run.preflight import check, preflight
from steelyard.bench.run.task import diagram_mode, make_task, official_scorer
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.identity import read_stamp

__all__ = ["Progress", "diagram_mode", "make_task", "official_scorer", "plan", "ready", "run"]

Progress = Callable[[str, int, int], None]
"""Called with (what is running, samples that have ended, samples in all)."""


def plan(spec: RunSpec) -> list[Unit]:
    """What would run; checks first that the models and the judge exist and that a budget has its prices."""
    check(spec)
    return units(spec)


def run(spec: RunSpec, progress: Progress = lambda what, done, total: None) -> Done:
    """Run what is not done yet; problems are returned, and raised only if nothing can run at all."""
    ready(spec)
    problems: list[str] = []
    unscored: Counter[str] = Counter()
    finished = 0
    meter = Meter(budget_usd=spec.budget_usd)
    with metering(meter):
        for model in spec.models:
            tasks = {key: make_task(key, spec) for key in spec.categories}
            finished += sum(_finish(task, model, spec) for task in tasks.values())
            for key, task in tasks.items():
                what, total = (
                    f"{model} · {spec.suite.categories[key].name}",
                    len(list(task.dataset)[: spec.limit]) * spec.epochs,
                )
                meter.tell, meter.samples = _reporter(meter, what, total, progress), 0
                progress(what, 0, total)
                logs = evaluate(task, model, spec)
                problems += [f"{model}, {spec.suite.categories[key].name}: {failure}" for failure in failures(logs)]
                unscored += unscored_reasons(logs, official_scorer(task)[1])
                progress(what, total, total)
            if meter.exhausted:
                problems.append(f"the budget of ${spec.budget_usd} is spent; run again with a larger one to continue")
                break
    unpriced = tuple(sorted(meter.unpriced))
    return Done(spec.log_dir, tuple(problems), meter.spent_usd, meter.tokens, unpriced, finished, dict(unscored))


def ready(spec: RunSpec) -> None:
    """Raise with the cure when something is missing that this run will need."""
    check(spec)
    preflight(spec, {key: make_task(key, spec) for key in spec.categories})
    ready_for_logs(spec.log_dir)


def _finish(task: Task, model: str, spec: RunSpec) -> int:
    stamp = read_stamp(task.metadata)
    if stamp is None:
        return 0
    scorer, name = official_scorer(task)
    return finish(spec.log_dir, [model], stamp, scorer, name)


def _reporter(meter: Meter, what: str, total: int, progress: Progress) -> Callable[[], None]:
    return lambda: progress(what, min(meter.samples, total), total)
