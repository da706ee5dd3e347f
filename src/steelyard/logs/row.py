"""The row of a log, from its header and the summaries of its samples; any file may claim to be a log."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, cast

from steelyard.errors import LogError, one_line
from steelyard.logs import field_types
from steelyard.logs.identity import read_stamp
from steelyard.logs.scores import number_of, outcome_of
from steelyard.rows import LogRow, RunRow, ScoreRow
from steelyard.secrets import redact

QUESTION_LENGTH = 800
"""Characters of a question that a row keeps: enough for instructions and the first sentence after them."""

SHORTENED = "~"
"""Before the hashes of a sample whose input is cut in the summaries of its log."""
_SHORTENED = re.compile(r"\.\.\.\n\(content truncated\)$|^\((?:Image|Audio|Video|Data|Document)\)$", re.MULTILINE)
"""What Inspect leaves there of long texts and pictures."""

_JSON = dict[str, Any]
_LIMITS = ("message_limit", "token_limit", "turn_limit", "time_limit", "working_limit", "cost_limit")
_MEANS = frozenset({"accuracy", "mean"})
"""Metrics of Inspect that are the mean of a score."""


def log_row(path: str, header: _JSON, runs: Iterable[RunRow]) -> LogRow:
    """The row of a log with this header; raises `LogError` if it is not that of a log."""
    spec = spec_of(path, header)
    config = field_types.mapping_or_empty(spec.get("config"), "config")
    dataset = field_types.mapping_or_empty(spec.get("dataset"), "dataset")
    error = field_types.mapping_or_empty(header.get("error"), "error")
    return LogRow(
        path=path,
        status=field_types.status(header.get("status", "started")),
        task=field_types.text(spec.get("task_registry_name") or spec["task"], "task"),
        task_id=field_types.text(spec.get("task_id", ""), "task_id"),
        run_id=field_types.text(spec.get("run_id", ""), "run_id"),
        eval_id=field_types.text(spec.get("eval_id", ""), "eval_id"),
        created=field_types.moment(spec["created"], "created"),
        model=field_types.text(spec["model"], "model"),
        model_args=field_types.mapping_or_empty(spec.get("model_args"), "model_args"),
        generate_config=_generate_config(header, spec),
        task_args=field_types.mapping_or_empty(spec.get("task_args"), "task_args"),
        limited=config.get("limit") is not None or config.get("sample_id") is not None,
        epochs=field_types.whole(config.get("epochs") or 1, "epochs"),
        sample_ids=tuple(str(sample_id) for sample_id in field_types.items(dataset.get("sample_ids"), "sample_ids")),
        stamp=read_stamp(field_types.mapping_or_empty(spec.get("metadata"), "metadata")),
        runs=tuple(runs),
        usage=field_types.usage(
            field_types.mapping_or_empty(header.get("stats"), "stats").get("model_usage"), "model_usage"
        ),
        versions=field_types.texts(spec.get("packages") or {}, "packages"),
        # The error of a provider may repeat the key that it was sent.
        error=one_line(redact(str(error.get("message", error)))) if error else None,
        metadata=spec.get("metadata") or {},
        dataset=_dataset_name(dataset),
        scorers=_scorers(spec.get("scorers")) or _scorers_in_results(header.get("results")),
        roles=_roles(spec.get("model_roles"), field_types.mapping_or_empty(header.get("stats"), "stats")),
        task_version=str(spec.get("task_version") or 0),
        means=_means(header.get("results"), spec.get("scorers")),
        completed=_completed(header.get("results")),
        solvers=_solvers(field_types.mapping_or_empty(header.get("plan"), "plan")),
        limits={name: config[name] for name in _LIMITS if config.get(name) is not None},
        shards=_ledger(field_types.mapping_or_empty(spec.get("shards"), "shards")),
    )


def _dataset_name(dataset: _JSON) -> str | None:
    """The name, else the last part of the location: where a file is differs from machine to machine."""
    name = field_types.text_or_none(dataset.get("name"), "dataset.name")
    location = field_types.text_or_none(dataset.get("location"), "dataset.location")
    return name or (location.rstrip("/").rpartition("/")[2] if location else None)


def _solvers(plan: _JSON) -> dict[str, dict[str, Any]]:
    steps = [field_types.mapping(step, "plan.steps") for step in field_types.items(plan.get("steps"), "plan.steps")]
    return {
        # Numbered, because a plan may use one solver twice.
        f"{number} {step.get('solver')}": field_types.mapping_or_empty(step.get("params"), "plan.steps.params")
        for number, step in enumerate(steps, 1)
    }


def _scorers(value: object) -> dict[str, dict[str, Any]]:
    scorers = [field_types.mapping(scorer, "scorers") for scorer in field_types.items(value, "scorers")]
    return {
        field_types.text(scorer.get("name"), "scorers.name"): field_types.mapping_or_empty(
            scorer.get("options"), "scorers.options"
        )
        for scorer in scorers
    }


def _scorers_in_results(value: object) -> dict[str, dict[str, Any]]:
    """Scorer → its options in a log whose header does not list scorers, as those of 2024 do not."""
    results = field_types.mapping_or_empty(value, "results")
    scores = [
        field_types.mapping(score, "results.scores") for score in field_types.items(results.get("scores"), "scores")
    ]
    return {
        field_types.text(score.get("scorer"), "results.scorer"): field_types.mapping_or_empty(
            score.get("params"), "results.params"
        )
        for score in scores
        if score.get("scorer")
    }


def _means(value: object, scorers: object) -> dict[str, float]:
    """The means in results, by score; a metric of another package may mean something else by the name."""
    usable = _MEANS - _special_metrics(scorers)
    means: dict[str, float] = {}
    results = field_types.mapping_or_empty(value, "results")
    for score in (field_types.mapping(score, "scores") for score in field_types.items(results.get("scores"), "scores")):
        name = str(score.get("name"))
        for metric in field_types.mapping_or_empty(score.get("metrics"), "metrics").values():
            known = field_types.mapping(metric, "metrics")
            number = number_of(known.get("value"))
            # The mean of one group, or of epochs reduced in another way, is not the mean of the runs.
            plain = known.get("name") in usable and not known.get("group") and score.get("reducer") in (None, "mean")
            if plain and number is not None:
                means |= {name: number, f"{score.get('scorer')}.{name}": number}
    return means


def _special_metrics(scorers: object) -> set[str]:
    """The names of metrics that are not Inspect's own, or have options."""
    if isinstance(scorers, list):
        return {name for part in cast(list[Any], scorers) for name in _special_metrics(part)}
    known = cast(_JSON, scorers) if isinstance(scorers, dict) else {}
    if "metrics" in known:
        return _special_metrics(known["metrics"])
    if isinstance(known.get("name"), str):
        package, _, name = str(known["name"]).rpartition("/")
        return set() if package in ("", "inspect_ai") and not known.get("options") else {name}
    return _special_metrics(list(known.values())) if known else set()


def _completed(value: object) -> int | None:
    count = field_types.mapping_or_empty(value, "results").get("completed_samples")
    return count if isinstance(count, int) else None


def _ledger(shards: _JSON) -> dict[str, int]:
    entries = [
        field_types.mapping(entry, "shards.ledger") for entry in field_types.items(shards.get("ledger"), "ledger")
    ]
    return {str(entry.get("shard")): field_types.whole(entry.get("samples"), "ledger.samples") for entry in entries}


def _roles(value: object, stats: _JSON) -> dict[str, str]:
    """The roles and their models, without those that were set and never called."""
    roles = field_types.mapping_or_empty(value, "model_roles")
    # Old logs, and models that report no usage, do not tell.
    counted = "role_usage" in stats and stats.get("model_usage")
    used = roles if not counted else field_types.mapping_or_empty(stats["role_usage"], "role_usage")
    return {role: ", ".join(_model_names(models)) for role, models in roles.items() if role in used}


def _model_names(models: object) -> list[str]:
    """The names of the model, or models, that have a role."""
    several = cast(list[Any], models) if isinstance(models, list) else [models]
    return [str(field_types.mapping_or_empty(model, "model_roles").get("model")) for model in several]


def spec_of(path: str, header: Any) -> _JSON:
    """The `eval` section of the header; any file may claim to be a log, so its structure is checked first."""
    spec = cast(_JSON, header).get("eval") if isinstance(header, dict) else None
    if not isinstance(spec, dict):
        raise LogError(f"{path} is not an eval log: its header has no `eval` section")
    missing = [name for name in ("task", "model", "created") if name not in spec]
    if missing:
        raise LogError(f"{path} is not an eval log: its header has no {', '.join(missing)}")
    field_types.version(cast(_JSON, header).get("version", field_types.LOG_VERSIONS[-1]))
    return cast(_JSON, spec)


def _generate_config(header: _JSON, spec: _JSON) -> _JSON:
    """The settings of the task, overridden by those of the command line."""
    plan = field_types.mapping_or_empty(header.get("plan"), "plan")
    of_task = field_types.mapping_or_empty(plan.get("config"), "plan.config")
    of_command = field_types.mapping_or_empty(spec.get("model_generate_config"), "model_generate_config")
    return {**{name: value for name, value in of_task.items() if value is not None}, **of_command}


def run_rows(summaries: Any) -> Iterator[RunRow]:
    """The rows of summaries as Inspect writes them."""
    return (run_row(field_types.mapping(row, "a summary")) for row in field_types.items(summaries, "summaries"))


def run_row(row: _JSON) -> RunRow:
    """The row of one summary."""
    scores = field_types.mapping_or_empty(row.get("scores"), "scores")
    return RunRow(
        id=str(row["id"]),
        epoch=field_types.whole(row["epoch"], "epoch"),
        scores={name: _score(field_types.mapping(score, f"scores.{name}")) for name, score in scores.items()},
        error=one_line(redact(str(row["error"]))) if row.get("error") else None,
        limit=field_types.text_or_none(row.get("limit"), "limit"),
        total_time_s=field_types.amount(row.get("total_time"), "total_time"),
        working_time_s=field_types.amount(row.get("working_time"), "working_time"),
        usage=field_types.usage(row.get("model_usage"), "model_usage"),
        metadata=field_types.mapping_or_empty(row.get("metadata"), "metadata"),
        span=_span(row.get("started_at"), row.get("completed_at")),
        question=" ".join(_input_text(row.get("input")).split())[:QUESTION_LENGTH],
        content=_content(row),
    )


def _content(row: _JSON) -> str:
    target = row.get("target")
    mark = SHORTENED if _SHORTENED.search(_input_text(row.get("input"))) else ""
    targets = cast(list[Any], target) if isinstance(target, list) else [target]
    return mark + content_of(row.get("input"), cast(list[Any], row.get("choices") or []), targets)


def content_of(asked: object, choices: Sequence[object], targets: Sequence[object]) -> str:
    """Hashes of what was asked, pictures and all, and of what is right."""
    return f"{_digest([_input_text(asked), *choices])}-{_digest(targets)}"


def _digest(texts: Sequence[object]) -> str:
    # JSON may hold half of a surrogate pair, which UTF-8 refuses.
    joined = "\0".join(map(str, texts)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


def _input_text(value: Any) -> str:
    """The text of a sample's input: a string, or the messages of a conversation with their contents."""
    if isinstance(value, list):
        return "\n".join(_input_text(part) for part in cast(list[Any], value))
    if isinstance(value, dict):
        part = cast(_JSON, value)
        kind = str(part.get("type"))
        return _input_text(part.get("content", part.get("text", part.get(kind))))
    return value if isinstance(value, str) else ""


def _span(started: object, completed: object) -> tuple[datetime, datetime] | None:
    if started is None or completed is None:
        return None
    return field_types.instant(started, "started_at"), field_types.instant(completed, "completed_at")


def _score(score: _JSON) -> ScoreRow:
    metadata = field_types.mapping_or_empty(score.get("metadata"), "score metadata")
    reason = field_types.text_or_none(score.get("reason"), "reason")
    explanation = field_types.text_or_none(score.get("explanation"), "explanation")
    answer = field_types.text_or_none(score.get("answer"), "answer")
    outcome = outcome_of(score.get("value"), reason=reason, explanation=explanation, fault=metadata.get("fault"))
    return ScoreRow(score.get("value"), outcome, answer, explanation, metadata)
