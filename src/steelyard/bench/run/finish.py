"""Finishes runs that our own failures left unscored.

Inspect treats a log with unscored runs as a success and does not open it again. So before a run starts, its earlier
logs are read: an answer without a number is graded again without asking the subject. If that fails, the sample is
marked invalid and the eval set runs it again. Old scores stay in the history of the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.bench.comparable import unlike
from steelyard.bench.subjects import outcome_of_run
from steelyard.logs.read import rows_in
from steelyard.logs.stored import key_of
from steelyard.logs.write import read_draft, write_draft
from steelyard.outcome import Unscored
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Scorer

    from steelyard.location import Location
    from steelyard.stamp import Stamp

AUTHOR = "steelyard bench run"


def open_runs(log: LogRow, scorer: str) -> int:
    """Runs of a finished log that have no number."""
    return sum(isinstance(outcome_of_run(run, scorer), Unscored) for run in log.runs)


def complete_models(folder: Location, stamp: Stamp, scorer: str, runs: int) -> set[str]:
    """Models with a successful log under this stamp in which so many runs have a number, and none has none."""
    return {
        log.model
        for log in rows_in(folder)
        if log.status == "success" and _same(log, stamp) and len(log.runs) == runs and not open_runs(log, scorer)
    }


def finish(folder: Location, models: Sequence[str], stamp: Stamp, scorer: Scorer, name: str) -> int:
    """Grade or reopen the unscored runs of these models under this stamp; returns how many have a number now."""
    graded = 0
    for log in _open_logs(folder, models, stamp, name):
        before = open_runs(log, name)
        left = _grade(log, scorer, stamp)
        graded += before - left
        if left:
            _reopen(log, name)
    return graded


def _open_logs(folder: Location, models: Sequence[str], stamp: Stamp, scorer: str) -> list[LogRow]:
    """Successful logs of the same models, category and fingerprint with runs that have no number."""
    logs: list[LogRow] = []
    for log in rows_in(folder):  # a log that cannot be read is listed by the board; a run cannot repair it
        mine = log.model in models and log.status == "success" and log.stamp is not None
        if mine and _same(log, stamp) and open_runs(log, scorer):
            logs.append(log)
    return logs


def _same(log: LogRow, stamp: Stamp) -> bool:
    if log.stamp is None or (log.stamp.wing, log.stamp.unit, log.stamp.label) != (stamp.wing, stamp.unit, stamp.label):
        return False
    # No category is passed, so that every field counts: an answer must not be graded under another identity.
    return not unlike(log.stamp.fingerprint, stamp.fingerprint)


def _grade(log: LogRow, scorer: Scorer, stamp: Stamp) -> int:
    from steelyard.logs.rescore import rescore

    mark = stamp.fingerprint
    return rescore(log.path, scorer, everything=False, judge=mark.judge, rubric=mark.rubric).open


def _reopen(log: LogRow, scorer: str) -> None:
    """Mark the samples that still have no number as invalid, so that the eval set runs them again."""
    from inspect_ai.log import ProvenanceData, invalidate_samples

    from steelyard.logs.scores import number_of

    draft = read_draft(log.path)
    unscored = {
        key_of(sample): sample.uuid
        for sample in draft.log.samples or []
        if sample.uuid and ((score := (sample.scores or {}).get(scorer)) is None or number_of(score.value) is None)
    }
    reason = ProvenanceData(author=AUTHOR, reason="left unscored by our own failure")

    # One sample at a time, because a draft does not hold whole samples.
    def reopened(sample: EvalSample) -> EvalSample:
        alone = draft.log.model_copy(update={"samples": [sample]})
        [invalid] = invalidate_samples(alone, [unscored[key_of(sample)]], reason).samples or []
        return invalid

    # Without this, Inspect would not reopen a successful log.
    draft.log.invalidated = draft.log.invalidated or bool(unscored)
    write_draft(draft, dict.fromkeys(unscored, reopened))
