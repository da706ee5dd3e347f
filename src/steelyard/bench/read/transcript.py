"""A log that may be published: what was asked, what was answered and how it was scored, built from an allow-list.

Left out are the keys of both kinds. Answer keys: targets, the dataset's explanations and labels, prompts and replies of
a judge, events and stores, and the answers of embedded subjects, which are references; `reveal` keeps targets, the
samples' metadata and those answers. API keys: whatever looks like one, or is the value of an environment variable that
holds one, is redacted in every text; model arguments, addresses, environment and errors' tracebacks are not copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, cast

from steelyard.bench.read.answers import NOTES, VEILED, answers_with_references
from steelyard.bench.weigh.facts import FACTS
from steelyard.outcome import Scored
from steelyard.rows import LogRow
from steelyard.secrets import redacted

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

_SCORE_METADATA = ("class", "reason", *NOTES)
"""Metadata of a score that names no answer."""

_SAMPLE_FIELDS = (
    *("id", "epoch", "input", "choices", "messages", "output", "model_usage", "uuid", "limit"),
    *("started_at", "completed_at", "total_time", "working_time"),
)
"""Fields of a sample that are copied as they are."""


def public_sample(sample: EvalSample, model: str, *, reveal: bool) -> EvalSample:
    """One sample as it may be published."""
    from inspect_ai.log import EvalSample

    whole = sample.model_dump(mode="json", exclude_none=True)
    data: dict[str, Any] = {name: whole[name] for name in _SAMPLE_FIELDS if name in whole}
    metadata: dict[str, Any] = whole.get("metadata") or {}
    data["target"] = whole["target"] if reveal else ""
    data["metadata"] = metadata if reveal else {name: metadata[name] for name in FACTS if name in metadata}
    veiled = not reveal and answers_with_references(model)
    scores: dict[str, Any] = whole.get("scores") or {}
    data["scores"] = {name: _score(score, veiled) for name, score in scores.items()}
    if veiled:
        # An embedded subject's reply is the reference itself.
        data["messages"] = [message for message in data["messages"] if message["role"] != "assistant"]
        data["output"] = {"model": model, "completion": VEILED, "choices": [_reply()]}
    messages, replies = _objects(data, "messages"), _objects(data["output"], "choices")
    if replies and not any(message["role"] == "assistant" for message in messages):
        messages.append(replies[0]["message"])  # not every solver adds its reply
    if sample.error is not None:
        data["error"] = {"message": sample.error.message, "traceback": "", "traceback_ansi": ""}
    # Redacted as plain data, so that no text is missed, whatever field it is in.
    return EvalSample.model_validate(redacted(data))


def public_log(row: LogRow, samples: Sequence[EvalSample]) -> EvalLog:
    """A log of published samples; its header says no more than a board does."""
    from inspect_ai.log import EvalLog

    runs = [run.scores for run in row.runs]
    names = sorted({name for scores in runs for name in scores})
    header = {
        "status": row.status,
        "eval": {
            **{"created": row.created, "task": row.task, "task_id": row.task_id, "run_id": row.run_id},
            **{"eval_id": row.eval_id, "model": row.model, "config": {"epochs": row.epochs}},
            "dataset": {"samples": len(row.sample_ids), "sample_ids": list(row.sample_ids)},
        },
        "results": {
            "total_samples": len(row.runs),
            "completed_samples": len(samples),
            "scores": [_result(name, [scores[name].outcome for scores in runs if name in scores]) for name in names],
        },
    }
    log = EvalLog.model_validate(redacted(header))
    log.samples = list(samples)
    return log


def _score(score: Mapping[str, Any], veiled: bool) -> dict[str, Any]:
    metadata: Mapping[str, Any] = score.get("metadata") or {}
    kept = {"value": score["value"], "metadata": {name: metadata[name] for name in _SCORE_METADATA if name in metadata}}
    return kept if veiled else {**kept, "answer": score.get("answer"), "explanation": score.get("explanation")}


def _objects(data: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], data.get(name) or [])


def _reply() -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": VEILED}, "stop_reason": "stop"}


def _result(name: str, outcomes: Sequence[Any]) -> dict[str, Any]:
    values = [outcome.value for outcome in outcomes if isinstance(outcome, Scored)]
    metrics = {"mean": {"name": "mean", "value": fmean(values)}} if values else {}
    return {"name": name, "scorer": name, "metrics": metrics}
