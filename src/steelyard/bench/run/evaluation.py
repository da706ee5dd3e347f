"""The eval set of a run: every category on every model, and what is left open in its logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from steelyard.bench.run.budget import NOT_STARTED
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.subjects import outcome_of_run
from steelyard.errors import LogError, boundary, one_line
from steelyard.logs.evaluate import evaluate_set
from steelyard.logs.read import read_log
from steelyard.models.redaction import subject
from steelyard.outcome import Unscored
from steelyard.secrets import redact

RETRIES = 2
"""New attempts of a task whose samples failed through a provider, beyond Inspect's own retries of each call."""


def subjects(spec: RunSpec) -> dict[str, Model]:
    """The models of a run by the names that Inspect gives them in its logs, each once."""
    return {str(model): model for model in (subject(name, spec.model_args, _config(spec)) for name in spec.models)}


def evaluate(tasks: Sequence[Task], models: Sequence[Model], spec: RunSpec) -> list[EvalLog]:
    """Run or resume all tasks on all models as one eval set.

    External runners drive a run through this one call: with `INSPECT_EVAL_SET_CAPTURE` it only writes what there is to
    run and ends the process, with `INSPECT_EVAL_SET_SELECTION` it runs a part of it.
    """
    with boundary(LogError, f"cannot run {spec.suite.title}"):
        return evaluate_set(
            list(tasks),
            log_dir=str(spec.log_dir),
            model=list(models),
            model_roles=cast(Any, {role: subject(name) for role, name in spec.model_roles.items()} or None),
            limit=spec.limit,
            epochs=spec.epochs,
            retry_attempts=RETRIES,
            retry_on_error=1,
            # The other samples go on. In the end the log is an error, so that the eval set tries the failed ones again.
            fail_on_error=True,
            continue_on_fail=True,
            max_tasks=spec.max_tasks,
            log_format="eval",
            # One folder may hold runs of other categories and models, and logs of other tools.
            log_dir_allow_dirty=True,
            score_display=False,
            ctl_server=False,
            log_level="error",
            **cast(Any, _config(spec)),
        )


def _config(spec: RunSpec) -> dict[str, Any]:
    own = {"temperature": spec.sampling_temperature, "max_connections": spec.max_connections}
    settings = {**spec.generate_config, **{name: value for name, value in own.items() if value is not None}}
    return {name: value for name, value in settings.items() if value is not None}


def started(logs: Sequence[EvalLog]) -> list[EvalLog]:
    """The logs without those whose every sample came after the budget was spent; these hold nothing and are removed."""
    from inspect_ai._util.file import filesystem

    kept: list[EvalLog] = []
    for log in logs:
        if _is_unstarted(log):
            # On a board such a log would withhold the category, because all of its runs are lost.
            filesystem(log.location).rm(log.location)
        else:
            kept.append(log)
    return kept


def _is_unstarted(log: EvalLog) -> bool:
    runs = read_log(log.location).runs
    return bool(runs) and all(run.error is not None and NOT_STARTED in run.error for run in runs)


def failures(logs: Sequence[EvalLog]) -> list[str]:
    """`status: cause` of every log that is not a success."""
    return [f"{log.status}: {_cause(log)}" for log in logs if log.status != "success"]


def unscored_reasons(logs: Sequence[EvalLog], scorer: str) -> Counter[str]:
    """Whose fault it is that runs have no number, and why → how many of them."""
    outcomes = (outcome_of_run(run, scorer) for log in logs for run in read_log(log.location).runs)
    return Counter(f"{outcome.fault}: {outcome.reason}" for outcome in outcomes if isinstance(outcome, Unscored))


def _cause(log: EvalLog) -> str:
    """The error of the log, or how many samples failed and the error of the first."""
    if log.error:
        return one_line(redact(log.error.message), 200)
    errors = [run.error for run in read_log(log.location).runs if run.error]
    if not errors:
        return "not finished"
    return f"{len(errors)} samples failed, the first with {one_line(redact(errors[0]), 200)}"
