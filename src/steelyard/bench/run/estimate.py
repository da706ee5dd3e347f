"""The units of a run before it starts: how many prompts each has, how long they are, and what the logs already hold."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.dataset import Sample

from steelyard.bench.comparable import unlike
from steelyard.bench.run.plan import RunSpec, Unit
from steelyard.bench.run.task import make_task, official_scorer
from steelyard.bench.subjects import outcome_of_run
from steelyard.logs.identity import read_stamp
from steelyard.logs.read import rows_in
from steelyard.models.prices import price
from steelyard.outcome import Scored
from steelyard.rows import LogRow
from steelyard.stamp import Stamp


def units(spec: RunSpec) -> list[Unit]:
    """One unit per model and category."""
    logs = _logs(spec)
    return [_unit(model, key, spec, logs) for model in spec.models for key in spec.categories]


def _unit(model: str, key: str, spec: RunSpec, logs: Sequence[LogRow]) -> Unit:
    task = make_task(key, spec)
    samples = list(task.dataset)[: spec.limit]
    characters = sum(_characters(sample) for sample in samples)
    judge_calls = len(spec.judges) * spec.judge_repeats if _is_judged(key, spec) else 0
    done = _done(model, read_stamp(task.metadata), logs, official_scorer(task)[1])
    return Unit(
        model, spec.suite.categories[key], len(samples), spec.epochs, characters, judge_calls, done, price(model)
    )


def _characters(sample: Sample) -> int:
    """Roughly the length of a prompt; an image counts only through its text."""
    text = sample.input if isinstance(sample.input, str) else "".join(message.text for message in sample.input)
    return len(text) + sum(len(choice) for choice in sample.choices or ())


def _is_judged(key: str, spec: RunSpec) -> bool:
    choice = spec.suite.categories[key].choice(spec.scorer)
    return choice is not None and choice.judged


def _done(model: str, stamp: Stamp | None, logs: Sequence[LogRow], scorer: str) -> int:
    """Scored runs of the same subject and category that the log folder already holds."""
    if stamp is None:
        return 0
    counts = [
        sum(isinstance(outcome_of_run(run, scorer), Scored) for run in log.runs)
        for log in logs
        if log.model == model and log.stamp and _asks_the_same(log.stamp, stamp)
    ]
    # Not the sum: a resumed log repeats the samples of the earlier one.
    return max(counts, default=0)


def _asks_the_same(one: Stamp, other: Stamp) -> bool:
    """Whether a run would take up a log with this stamp; a newer version of the scorer is no reason not to."""
    differing = {*unlike(one.fingerprint, other.fingerprint)} - {"scorer", "rubric"}
    return not differing and (one.unit, one.label) == (other.unit, other.label)


def _logs(spec: RunSpec) -> list[LogRow]:
    return list(rows_in(spec.log_dir))
