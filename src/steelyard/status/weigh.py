"""Counts what has ended, what runs and what is left: `(observation, now) → Status`.

Logs of the same subject and unit are one line: a resumed run repeats the samples of the earlier log, and a later start
of a gate adds those that were missing. A sample with a number counts as done whatever other logs say about it, and its
cost counts once for each time it ran. A log is being written if its status is `started` and it changed within `QUIET`.

    seconds left = samples not ended / samples ended since the log began × seconds since it began
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from steelyard.logs.field_types import amount, whole
from steelyard.models.patience import PATIENCE
from steelyard.outcome import Scored
from steelyard.rows import LogRow, RunRow
from steelyard.status.model import Line, Observation, State, Status, WrittenLog

QUIET = timedelta(minutes=15)
"""A log that says it has started but was not written for this long belongs to a process that is gone or hangs."""

Cost = Callable[[LogRow, RunRow], float | None]
"""US dollars that one run cost; None if unknown."""

_DONE, _UNSCORED, _FAILED = 0, 1, 2


class _Key(NamedTuple):
    wing: str
    subject: str
    order: tuple[int, int]
    """Round and extra round of a gate."""
    unit: str
    settings: str
    """What tells apart subjects of one name."""


def weigh(observation: Observation, now: datetime, cost: Cost) -> Status:
    """The status of a folder at the moment `now`."""
    groups: defaultdict[_Key, list[WrittenLog]] = defaultdict(list)
    for log in observation.logs:
        groups[_key(log.row)].append(log)
    lines = (*(_line(key, groups[key], now, cost) for key in sorted(groups)), *_waiting(observation))
    return Status(lines, observation.problems, _is_active(lines, observation, now))


def _is_active(lines: Iterable[Line], observation: Observation, now: datetime) -> bool:
    """A worker takes a while to begin its log, so tasks that wait belong to a run unless it was interrupted."""
    states = {line.state for line in lines}
    if "waiting" not in states:
        return "running" in states
    changes = [(log.written, log.row.status == "cancelled") for log in observation.logs]
    last, interrupted = max(changes + [(task.written, False) for task in observation.planned])
    return "running" in states or (not interrupted and now - last < QUIET)


def _key(row: LogRow) -> _Key:
    stamp = row.stamp
    if stamp is None:
        return _Key("", row.model, (0, 0), row.task, _settings(row))
    if stamp.wing == "gate":
        number = whole(stamp.extra.get("round", 1), f"{row.path}: round")
        watch = int(amount(stamp.extra.get("watch"), f"{row.path}: watch") or 0)
        return _Key("gate", stamp.unit, (number, watch), f"round {number}" + (f", extra {watch}" if watch else ""), "")
    return _Key(stamp.wing, stamp.label or row.model, (0, 0), stamp.unit, _settings(row))


def _settings(row: LogRow) -> str:
    mark = None if row.stamp is None else (row.stamp.fingerprint.scorer, dict(row.stamp.fingerprint.parameters))
    # Patience changes no answer, so a run resumed with more of it stays on the same line.
    config = {name: value for name, value in row.generate_config.items() if name not in PATIENCE}
    return json.dumps([row.model, dict(row.model_args), config, mark], sort_keys=True, default=str)


def _line(key: _Key, logs: Sequence[WrittenLog], now: datetime, cost: Cost) -> Line:
    expected: set[tuple[str, int]] = set()
    ended: dict[tuple[str, int], int] = {}
    live: set[tuple[str, int]] = set()
    for log in logs:
        planned = {(item, epoch) for item in log.row.sample_ids for epoch in range(1, log.row.epochs + 1)}
        expected |= planned | {(run.id, run.epoch) for run in log.row.runs}
        if _is_live(log, now):
            live |= planned
        for run in log.row.runs:
            if not _interrupted(log.row, run):
                place = run.id, run.epoch
                # `_DONE` is the smallest: a sample with a number is done, whatever other logs say.
                ended[place] = min(_ending(log.row, run), ended.get(place, _FAILED))
    counts = [sum(ending == wanted for ending in ended.values()) for wanted in (_DONE, _UNSCORED, _FAILED)]
    running = len(live - ended.keys())
    spent, unknown, tokens = _spent((log.row for log in logs), cost)
    return Line(
        wing=key.wing,
        subject=key.subject,
        unit=key.unit,
        state=_state(bool(live), len(expected) - counts[_DONE] - counts[_UNSCORED]),
        total=len(expected),
        done=counts[_DONE],
        running=running,
        failed=counts[_FAILED],
        unscored=counts[_UNSCORED],
        tokens=tokens,
        spent_usd=spent,
        unknown_cost=unknown,
        left_s=_left_s([log.row for log in logs if _is_live(log, now)], running, now),
    )


def _state(live: bool, open_samples: int) -> State:
    if live:
        return "running"
    return "stopped" if open_samples else "done"


def _is_live(log: WrittenLog, now: datetime) -> bool:
    return log.row.status == "started" and now - log.written < QUIET


def _interrupted(row: LogRow, run: RunRow) -> bool:
    """Whether Ctrl-C ended the sample: it is left to run, it has not failed."""
    return row.status == "cancelled" and (run.error or "").startswith("CancelledError")


def _ending(row: LogRow, run: RunRow) -> int:
    if run.error:
        return _FAILED
    counted = run.scores.get(row.stamp.fingerprint.scorer.split("@")[0]) if row.stamp is not None else None
    scores = [counted] if counted is not None else list(run.scores.values())
    return _DONE if scores and all(isinstance(score.outcome, Scored) for score in scores) else _UNSCORED


def _spent(rows: Iterable[LogRow], cost: Cost) -> tuple[float, int, int]:
    """US dollars, samples of unknown cost, and tokens; a sample that a resumed log repeats counts once."""
    spent, unknown, tokens = 0.0, 0, 0
    seen: set[tuple[str, int, datetime]] = set()
    for row in rows:
        for run in row.runs:
            # A resumed log repeats samples of the earlier one, with the same start.
            if run.span is not None:
                started = run.id, run.epoch, run.span[0]
                if started in seen:
                    continue
                seen.add(started)
            amount = cost(row, run)
            spent, unknown = spent + (amount or 0.0), unknown + (amount is None)
            tokens += sum(int(usage.get("total_tokens") or 0) for usage in run.usage.values())
    return spent, unknown, tokens


def _left_s(live: Sequence[LogRow], running: int, now: datetime) -> float | None:
    paces: list[float] = []
    for row in live:
        begun = row.began
        # Samples that were taken over from an earlier log say nothing about the pace of this one.
        ended = sum(run.span is not None and run.span[1] >= begun for run in row.runs)
        passed = (now - begun).total_seconds()
        if ended and passed > 0:
            paces.append(ended / passed)
    return round(running / sum(paces), 3) if paces else None


def _waiting(observation: Observation) -> Iterable[Line]:
    """The tasks of the eval set that have no log yet; how many samples they have is not known."""
    # Without the package, which only one of the two lists may name.
    begun = {(log.row.task.rsplit("/", 1)[-1], log.row.model) for log in observation.logs}
    for task, model, _ in observation.planned:
        name = task.rsplit("/", 1)[-1]
        if (name, model) not in begun:
            yield Line("", model, name, "waiting", 0, 0, 0, 0, 0, 0, 0.0, 0, None)
