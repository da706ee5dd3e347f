"""Running an audit: a plan of what to run, and the local engine that runs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.errors import InputError, LogError, ModelError, boundary
from steelyard.location import location
from steelyard.logs.folder import ready_for_logs

if TYPE_CHECKING:
    from steelyard.location import Location


@dataclass(frozen=True, slots=True)
class Plan:
    """One agent on one document or suite: what to run, not where."""

    task: dict[str, Any]
    """Arguments of the task `steelyard/audit`."""
    model: str
    log_dir: Location
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    """Generation options (temperature, seed, max_tokens); only those that are set."""


def execute(plan: Plan) -> Location:
    """Runs the plan on this machine and returns the path of its log; raises `LogError` if a run fails."""
    from steelyard.audit.tasks import audit
    from steelyard.logs.evaluate import evaluate, mode
    from steelyard.models.redaction import subject

    if (driven := mode()) != "whole":
        raise InputError(
            "an audit is one task, not an eval set that another runner can list or select from",
            cure=f"unset INSPECT_EVAL_SET_{driven.upper()}",
        )
    task = audit(**plan.task)
    ready_for_logs(plan.log_dir)
    with boundary(ModelError, f"the model {plan.model} cannot be used"):
        model = subject(plan.model, config=plan.config)
    with boundary(LogError, "the audit did not run"):
        # A run that fails must not stop the others, which cost money too; it is reported below.
        [log] = evaluate(task, model=model, log_dir=str(plan.log_dir), fail_on_error=False, **plan.config)
    path = location(log.location)
    if log.status != "success":
        detail = log.error.message if log.error else log.status
        raise LogError(f"the audit ended early ({detail}); its log is {path}")
    samples = log.samples or []
    failures = [sample.error.message for sample in samples if sample.error]
    if failures:
        raise LogError(f"{len(failures)} of {len(samples)} runs failed ({failures[0]}); the log is {path}")
    return path
