"""A log's row as JSON text and back, exactly: fields as arrays in the order of their classes, times in ISO 8601."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, cast

from steelyard.outcome import Outcome, Scored, Unscored
from steelyard.rows import LogRow, RunRow, ScoreRow
from steelyard.stamp import Fingerprint, Stamp

_LOG, _RUN, _SCORE = (tuple(field.name for field in fields(kind)) for kind in (LogRow, RunRow, ScoreRow))


def dump_row(row: LogRow) -> bytes:
    """The row as JSON; values that JSON does not have raise `TypeError`."""
    special = {"stamp": None if row.stamp is None else asdict(row.stamp), "runs": [_run(run) for run in row.runs]}
    return json.dumps([special.get(name, getattr(row, name)) for name in _LOG]).encode()


def load_row(data: bytes) -> LogRow:
    """The row in `data`; raises `ValueError`, `TypeError` or `KeyError` if it is anything else."""
    values = dict(zip(_LOG, json.loads(data), strict=True))
    stamp = values["stamp"]
    if stamp is not None:
        stamp = Stamp(**{**stamp, "fingerprint": cast(Any, Fingerprint(**stamp["fingerprint"]))})
    runs = tuple(_read_run(run) for run in values["runs"])
    read: dict[str, Any] = {"stamp": stamp, "runs": runs, "sample_ids": tuple(values["sample_ids"])}
    return LogRow(**{**values, **read})


def _run(run: RunRow) -> list[Any]:
    scores = {name: _score(score) for name, score in run.scores.items()}
    span = None if run.span is None else [moment.isoformat() for moment in run.span]
    return [scores if name == "scores" else span if name == "span" else getattr(run, name) for name in _RUN]


def _read_run(values: list[Any]) -> RunRow:
    item, epoch, scores, error, limit, total, working, usage, metadata, span, question, content = values
    read = {name: _read_score(score) for name, score in scores.items()}
    times = None if span is None else (datetime.fromisoformat(span[0]), datetime.fromisoformat(span[1]))
    return RunRow(item, epoch, read, error, limit, total, working, usage, metadata, times, question, content)


def _score(score: ScoreRow) -> list[Any]:
    return [_outcome(score.outcome) if name == "outcome" else getattr(score, name) for name in _SCORE]


def _read_score(values: list[Any]) -> ScoreRow:
    value, outcome, answer, explanation, metadata = values
    read = Unscored(*cast(list[Any], outcome)) if isinstance(outcome, list) else Scored(outcome)
    return ScoreRow(value, read, answer, explanation, metadata)


def _outcome(outcome: Outcome) -> float | list[str]:
    return outcome.value if isinstance(outcome, Scored) else [outcome.fault, outcome.reason]
