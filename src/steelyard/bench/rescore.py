"""Grading existing answers again, without asking the subject: what a judge left open, or everything with another judge.

A log scored by the heuristic keeps its scores: its judged twin is written beside it as a log of its own, so that
heuristic and judge scores never stand in one log.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.log import read_eval_log, write_eval_log

from steelyard.bench import tasks
from steelyard.bench.evidence import category_of
from steelyard.bench.model import Category
from steelyard.bench.run import official_scorer
from steelyard.errors import InputError, LogError, boundary
from steelyard.judge.panel import Panel
from steelyard.judge.rescore import Rescored, rescore
from steelyard.logs.identity import STAMP_KEY, Stamp, read_stamp, sha256_of
from steelyard.logs.read import LogRow, read_log

JUDGED = "architecture_design"
"""The category a judge can grade."""


def rescore_log(path: str, judges: Panel | None, *, everything: bool) -> Rescored:
    """Grade the open runs of one log, or all of them."""
    log = read_log(path)
    category = category_of(log)
    if category is None or log.stamp is None:
        raise LogError(f"{path} is no log of SA Bench, or carries no stamp")
    if judges is not None and category.key != JUDGED:
        raise InputError(f"{path}: {category.name} is scored without a judge", cure="leave out --judge")
    task = _task(log, category, judges)
    fresh = read_stamp(task.metadata)
    scorer, name = official_scorer(task)
    if judges is not None and log.stamp.fingerprint.scorer.partition("@")[0] != name:
        path, everything = _twin(path, fresh), True
    rubric = fresh.fingerprint.rubric if fresh else None
    judge = judges.identity if judges else log.stamp.fingerprint.judge
    return rescore(path, scorer, everything=everything, judge=judge, rubric=rubric)


def _task(log: LogRow, category: Category, judges: Panel | None) -> Task:
    """The task as it was run, with another judge where one is named."""
    make = cast(Callable[..., Task], getattr(tasks, category.key))
    wanted: dict[str, Any] = dict(log.task_args)
    if judges is not None:
        wanted |= {
            "scorer": "judge",
            "judge": list(judges.judges),
            "judge_repeats": judges.repeats,
            "judge_cache": judges.cache,
        }
    known = inspect.signature(make).parameters
    with boundary(LogError, f"cannot rebuild the task of {log.path}"):
        return make(**{name: value for name, value in wanted.items() if name in known})


def _twin(path: str, stamp: Stamp | None) -> str:
    """A copy of a log that belongs to another scorer: no scores yet, its own id, and the stamp of the judged task."""
    target = Path(path)
    twin = target.with_name(f"{target.stem}_judged.eval")
    with boundary(LogError, f"cannot copy {path}"):
        log = read_eval_log(path)
        log.eval.eval_id = f"{log.eval.eval_id[:16]}{sha256_of(str(twin))[:6]}"
        log.eval.task_id = f"{log.eval.task_id[:16]}{sha256_of(str(twin))[:6]}"
        if stamp is not None and log.eval.metadata is not None:
            log.eval.metadata[STAMP_KEY] = stamp.as_metadata()[STAMP_KEY]
        for sample in log.samples or []:
            sample.scores = {}
        write_eval_log(log, str(twin))
    return str(twin)
