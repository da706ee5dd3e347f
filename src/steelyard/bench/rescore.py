"""Grading existing answers again, without asking the subject: what a judge left open, or everything with another judge.

A log scored by the heuristic keeps its scores: its judged twin is written beside it as a log of its own, so that
heuristic and judge scores never stand in one log. A twin that is there already is graded like any other log: only what
is open, unless everything is asked for, and its history grows.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai import Task

from steelyard.bench.category import Category
from steelyard.bench.read.selection import category_of
from steelyard.bench.run import official_scorer
from steelyard.bench.subjects import outcome_of_run
from steelyard.bench.suite import OWN
from steelyard.errors import InputError, LogError, boundary
from steelyard.judge.panel import Panel
from steelyard.logs.identity import read_stamp, sha256_of
from steelyard.logs.read import read_log
from steelyard.logs.rescore import NothingToJudge, Rescored, rescore, rescore_copy
from steelyard.logs.write import Draft, read_draft
from steelyard.outcome import Scored
from steelyard.rows import LogRow
from steelyard.stamp import Stamp


def rescore_log(path: str, judges: Panel | None, *, everything: bool) -> Rescored:
    """Grade the open runs of one log, or all of them; of a heuristic log and a judge: those of its judged twin."""
    log = read_log(path)
    category, stamp = _known(log, judges)
    task = _task(log, category, judges)
    fresh = read_stamp(task.metadata) or stamp
    scorer, _ = official_scorer(task)
    target = target_of(path, judges)
    if judges is None and fresh.fingerprint.judge != stamp.fingerprint.judge:
        return _untouched(log, stamp, everything)
    judge, rubric = fresh.fingerprint.judge, fresh.fingerprint.rubric
    if target != path and not Path(target).exists():
        return rescore_copy(_twin(log, target, fresh), Path(target), scorer, judge=judge, rubric=rubric)
    return rescore(target, scorer, everything=everything, judge=judge, rubric=rubric)


def target_of(path: str, judges: Panel | None) -> str:
    """The log a rescoring writes: a heuristic log's judged twin when a judge is named, else the log itself."""
    log = read_log(path)
    category, stamp = _known(log, judges)
    if judges is None or stamp.fingerprint.scorer.partition("@")[0] == category.judge_scorer:
        return path
    if "://" in path:
        raise InputError(
            f"{path}: the judged log cannot be written next to it",
            cure="copy it to this machine first",
        )
    place = Path(path)
    return str(place.with_name(f"{place.stem}_judged.eval"))


def _known(log: LogRow, judges: Panel | None) -> tuple[Category, Stamp]:
    """Category and stamp of a log that can be graded here."""
    category = _category(log)
    if log.stamp is not None and log.stamp.wing != "bench":
        raise NothingToJudge(f"{log.path} is a log of {log.stamp.wing}, not of SA Bench")
    if category is None or log.stamp is None:
        raise LogError(f"{log.path} is not a log of SA Bench, or has no stamp")
    if judges is not None and category.judge_scorer is None:
        raise NothingToJudge(f"{log.path}: {category.name} is scored without a judge", cure="leave out --judge")
    return category, log.stamp


def _category(log: LogRow) -> Category | None:
    """The category of a log; items of the user's own are read from the folder that the log names."""
    if log.stamp is None or not log.stamp.unit.startswith(OWN):
        return category_of(log)
    from steelyard.bench.own.category import own_suite

    suite = own_suite(str(log.task_args.get("dataset", "")))
    category = category_of(log, suite)
    if category is not None and (reason := category.refuses(log.stamp)) is not None:
        raise LogError(f"{log.path}: {reason}")
    return category


def _untouched(log: LogRow, stamp: Stamp, everything: bool) -> Rescored:
    """A log that was graded by another judge than its task names: fine while there is nothing to grade."""
    scorer = stamp.fingerprint.scorer.partition("@")[0]
    if everything or not all(isinstance(outcome_of_run(run, scorer), Scored) for run in log.runs):
        raise InputError(f"{log.path} was graded by {stamp.fingerprint.judge}", cure="name the judge with --judge")
    return Rescored(log.path, 0, 0, 0, ())


def _task(log: LogRow, category: Category, judges: Panel | None) -> Task:
    """The task as it was run, with another judge where one is named."""
    make = category.make_task()
    wanted: dict[str, Any] = dict(log.task_args)
    if judges is not None:
        wanted |= {
            "scorer": "judge",
            "judge": list(judges.judges),
            "judge_repeats": judges.repeats,
            "judge_cache": judges.cache,
        }
    # Not every task has all of these parameters.
    known = inspect.signature(make).parameters
    with boundary(LogError, f"cannot rebuild the task of {log.path}"):
        return make(**{name: value for name, value in wanted.items() if name in known})


def _twin(source: LogRow, target: str, fresh: Stamp) -> Draft:
    """A log with the same answers, ids of its own, and the stamp of the judged task."""
    assert source.stamp is not None
    # The diagram mode is the run's: `auto` may become another one without the model at hand.
    parameters = source.stamp.fingerprint.parameters
    stamp = replace(fresh, fingerprint=replace(fresh.fingerprint, parameters=parameters))
    draft = read_draft(source.path)
    log = draft.log
    log.location = target
    # With its source's ids, it would count as a contradicting copy, and a board would take neither. The new ids
    # depend only on the name, so the same twin always has the same ids.
    log.eval.eval_id = f"{log.eval.eval_id[:16]}{sha256_of(target)[:6]}"
    log.eval.task_id = f"{log.eval.task_id[:16]}{sha256_of(target)[:6]}"
    log.eval.metadata = {**(log.eval.metadata or {}), **stamp.as_metadata()}
    return draft
