"""Running SA Bench on Inspect's eval sets: interrupted work resumes, finished work is not repeated.

One eval set per model and category, one after the other. What Inspect would not do by itself: runs left unscored by our
own failure are finished first (`finish`), a budget stops new work (`meter`), temperature is 0 unless told otherwise,
and an `auto` diagram mode is settled once for all subjects of the run, so that they stay comparable.
"""

from __future__ import annotations

import inspect
import math
import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, ModelCost, ModelInfo, get_model, get_model_info, set_model_info
from inspect_ai.util import registry_info

from steelyard import artifact
from steelyard.bench.architecture_design.mode import Diagrams, resolve_diagrams
from steelyard.bench.evidence import outcome_of_run
from steelyard.bench.model import BASELINES, CATEGORIES, STAND_INS
from steelyard.bench.run.budget import Meter, count, metering, priced, within_budget
from steelyard.bench.run.finish import finish
from steelyard.bench.run.plan import Done, RunSpec, Unit
from steelyard.bench.run.preflight import preflight
from steelyard.errors import (
    InputError,
    LogError,
    ModelError,
    SteelyardError,
    boundary,
    one_line,
    redact,
    refuse_secret,
)
from steelyard.judge.panel import panel
from steelyard.logs.evaluate import evaluate_set
from steelyard.logs.find import search
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.identity import read_stamp
from steelyard.logs.read import read_log
from steelyard.models.redaction import subject
from steelyard.outcome import Scored, Unscored
from steelyard.rows import LogRow
from steelyard.stamp import Stamp
from steelyard.yamlfile import read as read_yaml

RETRIES = 2
"""New attempts of a task whose samples failed through a provider, beyond Inspect's own retries of each call."""

Progress = Callable[[str, int, int], None]
"""Told (what is running, how many samples have ended, of how many)."""

_MARKUP = re.compile(r"\[/?[a-z ]+\]")


def plan(spec: RunSpec) -> list[Unit]:
    """What would run; every model and the judge are known to exist, prices are known where a budget needs them."""
    _check(spec)
    logs = _logs(spec)
    return [_unit(model, key, spec, logs) for model in spec.models for key in spec.categories]


def run(spec: RunSpec, progress: Progress = lambda what, done, total: None) -> Done:
    """Run what is not done yet; problems are told, not raised, unless nothing can run at all."""
    ready(spec)
    problems: list[str] = []
    unscored: Counter[str] = Counter()
    finished = 0
    meter = Meter(budget_usd=spec.budget_usd)
    with metering(meter):
        for model in spec.models:
            made = {key: make_task(key, spec) for key in spec.categories}
            finished += sum(_finish(task, model, spec) for task in made.values())
            for key, task in made.items():
                what, total = f"{model} · {CATEGORIES[key].name}", len(list(task.dataset)[: spec.limit]) * spec.epochs
                meter.tell, meter.samples = _teller(meter, what, total, progress), 0
                progress(what, 0, total)
                logs = _eval_set(task, model, spec)
                problems += _problems(logs, model, key)
                unscored += _unscored(logs, official_scorer(task)[1])
                progress(what, total, total)
            if meter.exhausted:
                problems.append(f"the budget of ${spec.budget_usd} is spent; run again with a larger one to continue")
                break
    unpriced = tuple(sorted(meter.unpriced))
    return Done(spec.log_dir, tuple(problems), meter.spent_usd, meter.tokens, unpriced, finished, dict(unscored))


def ready(spec: RunSpec) -> None:
    """Raise with the cure when something is missing that this run will need: now, and not after the last answer."""
    _check(spec)
    preflight(spec, {key: make_task(key, spec) for key in spec.categories})
    ready_for_logs(spec.log_dir)


def make_task(key: str, spec: RunSpec) -> Task:
    """The Inspect task of a category, as this run wants it."""
    wanted: dict[str, Any] = {
        "label": spec.label,
        **(choice.arguments if (choice := CATEGORIES[key].choice(spec.scorer)) else {}),
        "diagrams": diagram_mode(spec),
        "judge": list(spec.judges) or None,
        "judge_repeats": spec.judge_repeats if spec.judges else None,
        "judge_cache": None if spec.judge_cache else False,
    }
    make = CATEGORIES[key].make_task()
    known = inspect.signature(make).parameters
    task = make(**{name: value for name, value in wanted.items() if value is not None and name in known})
    task.setup, task.cleanup = within_budget(), count
    task.config = task.config.model_copy(update={"temperature": spec.temperature})
    return task


def official_scorer(task: Task) -> tuple[Any, str]:
    """The scorer whose number counts, and its name in the log."""
    scorers = cast(list[Any], task.scorer if isinstance(task.scorer, list) else [task.scorer])
    names = [registry_info(each).name.rsplit("/", 1)[-1] for each in scorers]
    official = {name for category in CATEGORIES.values() for name in category.scorers}
    place = next((number for number, name in enumerate(names) if name in official), 0)
    return scorers[place], names[place]


def _check(spec: RunSpec) -> None:
    unknown = [key for key in spec.categories if key not in CATEGORIES]
    if unknown or not spec.categories:
        raise InputError(f"there is no category {', '.join(unknown)}", cure=f"one of {', '.join(CATEGORIES)}")
    if not spec.models:
        raise InputError("no model to run", cure="name one with --model")
    if spec.label and len(spec.models) > 1:
        raise InputError("a label names one subject; run several models without it")
    if spec.scorer == "judge" and not spec.judges:
        raise InputError("--scorer judge needs a judge", cure="name one with --judge")
    for given in ({"label": spec.label}, spec.model_args, spec.model_roles, spec.generate_config):
        for name, value in given.items():
            refuse_secret(f"the argument {name}", value)
    _register_prices(spec)
    for name in dict.fromkeys([*spec.models, *spec.model_roles.values()]):
        args = dict(spec.model_args) if name in spec.models else {}
        with _foreign(ModelError, f"cannot use the model {name}"):
            get_model(name, config=GenerateConfig(), memoize=False, **args)
    judged = panel(spec.judges, require=True).judges if spec.judges else ()  # pyright: ignore[reportOptionalMemberAccess]
    unpriced = [name for name in (*spec.models, *judged) if not priced(name)]
    if spec.budget_usd is not None and unpriced and not spec.allow_unknown_prices:
        raise InputError(
            f"a budget needs prices, and that of {', '.join(unpriced)} is unknown",
            cure="give them with --prices FILE, or let them through with --allow-unknown-prices",
        )


def _eval_set(task: Task, model: str, spec: RunSpec) -> list[EvalLog]:
    given = {**spec.generate_config, "temperature": spec.temperature, "max_connections": spec.max_connections}
    config: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    with _foreign(LogError, f"cannot run {task.name} on {model}"):
        return evaluate_set(
            task,
            log_dir=str(spec.log_dir),
            model=subject(model, spec.model_args, config),
            model_roles=cast(Any, {role: subject(name) for role, name in spec.model_roles.items()} or None),
            limit=spec.limit,
            epochs=spec.epochs,
            retry_attempts=RETRIES,
            retry_on_error=1,
            fail_on_error=True,
            continue_on_fail=True,
            max_tasks=1,
            log_format="eval",
            log_dir_allow_dirty=True,
            score_display=False,
            ctl_server=False,
            log_level="error",
            **cast(Any, config),
        )


def _problems(logs: Sequence[EvalLog], model: str, key: str) -> list[str]:
    found: list[str] = []
    for log in logs:
        if log.status != "success":
            found.append(f"{model}, {CATEGORIES[key].name}: {log.status}: {_cause(log)}")
    return found


def _unscored(logs: Sequence[EvalLog], scorer: str) -> Counter[str]:
    """Why runs have no number, each reason with how often."""
    outcomes = (outcome_of_run(run, scorer) for log in logs for run in read_log(log.location).runs)
    return Counter(outcome.reason for outcome in outcomes if isinstance(outcome, Unscored))


def _cause(log: EvalLog) -> str:
    """Why a log is not a success: its own error, or how many samples failed and how the first did."""
    if log.error:
        return one_line(redact(log.error.message), 200)
    failed = [run.error for run in read_log(log.location).runs if run.error]
    if not failed:
        return "not finished"
    return f"{len(failed)} samples failed, the first with {one_line(redact(failed[0]), 200)}"


def _finish(task: Task, model: str, spec: RunSpec) -> int:
    stamp = read_stamp(task.metadata)
    if stamp is None:
        return 0
    scorer, name = official_scorer(task)
    return finish(spec.log_dir, [model], stamp, scorer, name)


def _teller(meter: Meter, what: str, total: int, progress: Progress) -> Callable[[], None]:
    return lambda: progress(what, min(meter.samples, total), total)


def _unit(model: str, key: str, spec: RunSpec, logs: Sequence[LogRow]) -> Unit:
    task = make_task(key, spec)
    samples = list(task.dataset)[: spec.limit]
    characters = sum(_characters(sample) for sample in samples)
    info = None if model.startswith("steelyard/") else get_model_info(model)
    price = (info.cost.input, info.cost.output) if info and info.cost else ((0.0, 0.0) if priced(model) else None)
    judged = len(spec.judges) * spec.judge_repeats if _is_judged(key, spec) else 0
    done = _done(model, read_stamp(task.metadata), logs, official_scorer(task)[1])
    return Unit(model, CATEGORIES[key], len(samples), spec.epochs, characters, judged, done, price)


def _characters(sample: Sample) -> int:
    """Of a prompt as a model sees it, roughly; a picture counts as the text that stands for it would."""
    text = sample.input if isinstance(sample.input, str) else "".join(message.text for message in sample.input)
    return len(text) + sum(len(choice) for choice in sample.choices or ())


def _is_judged(key: str, spec: RunSpec) -> bool:
    choice = CATEGORIES[key].choice(spec.scorer)
    return choice is not None and choice.judged


def _done(model: str, stamp: Stamp | None, logs: Sequence[LogRow], scorer: str) -> int:
    """Scored runs of the same subject and category that the folder already holds."""
    if stamp is None:
        return 0
    counts = [
        sum(isinstance(outcome_of_run(run, scorer), Scored) for run in log.runs)
        for log in logs
        if log.model == model and log.stamp and (log.stamp.unit, log.stamp.label) == (stamp.unit, stamp.label)
    ]
    return max(counts, default=0)


def _logs(spec: RunSpec) -> list[LogRow]:
    if not spec.log_dir.is_dir():
        return []
    found: list[LogRow] = []
    for path in search([spec.log_dir]).paths:
        try:
            found.append(read_log(path))
        except LogError:
            continue  # the board lists it
    return found


def diagram_mode(spec: RunSpec) -> Diagrams:
    """The diagram mode of all subjects of a run; subjects that look their answers up have no say in it."""
    ranked = [model for model in spec.models if model not in BASELINES and not model.startswith(STAND_INS)]
    return resolve_diagrams(spec.diagrams, ranked, spec.images)


def _register_prices(spec: RunSpec) -> None:
    if spec.prices is None:
        return
    with boundary(InputError, f"cannot read {spec.prices}"):
        data = artifact.read_json(spec.prices) if spec.prices.suffix == ".json" else read_yaml(spec.prices).data()
        shaped = isinstance(data, dict) and all(
            isinstance(fields, dict) and {"input", "output"} <= {*fields}
            for fields in cast(dict[str, Any], data).values()
        )
        if not shaped:
            raise InputError(f"{spec.prices} is no price list", cure="per model: {input: USD, output: USD}")
        for name, fields in cast(Mapping[str, Mapping[str, Any]], data).items():
            given = {"input_cache_write": fields["input"], "input_cache_read": fields["input"], **fields}
            known = get_model_info(name) or ModelInfo()
            cost = ModelCost.model_validate(given)
            if not all(math.isfinite(each) and each >= 0 for each in cost.model_dump(exclude_none=True).values()):
                raise InputError(f"{spec.prices}: the price of {name} is not a number from 0 up")
            set_model_info(name, known.model_copy(update={"cost": cost}))


@contextmanager
def _foreign(kind: type[SteelyardError], doing: str) -> Generator[None]:
    """A boundary that also takes Inspect's markup out of its messages."""
    try:
        with boundary(kind, doing):
            yield
    except SteelyardError as error:
        error.args = (_MARKUP.sub("", str(error.args[0])).replace("ERROR: ", ""), *error.args[1:])
        raise
