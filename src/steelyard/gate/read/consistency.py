"""Refuses a gate log that contradicts itself: it was damaged, or changed by hand.

Promotion recomputes everything from the logs, so a log is believed only as far as its parts agree with each other: the
tasks with the fingerprint, the counts with the results of the checks, the score with the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from steelyard.errors import LogError
from steelyard.gate.metadata import SCORER
from steelyard.gate.score import objective
from steelyard.logs.identity import samples_hash
from steelyard.outcome import Scored, exact
from steelyard.rows import LogRow, RunRow


def check_log(row: LogRow) -> None:
    """Raise a `LogError` that names the first contradiction in a gate log."""
    assert row.stamp is not None
    checks = cast(Mapping[str, Sequence[str]], row.stamp.extra.get("checks") or {})
    if samples_hash(checks) != row.stamp.fingerprint.samples:
        raise LogError(f"{row.path}: its tasks are not those of its fingerprint")
    refuse_repeated(row)
    for run in row.runs:
        if run.id not in checks:
            raise LogError(f"{row.path}: {run.id} is not one of its tasks")
        _check_run(row.path, run, len(checks[run.id]))


def refuse_repeated(row: LogRow) -> None:
    """Raise a `LogError` if a run is in the log, of whatever task, more than once."""
    twice = next((name for name, count in Counter((run.id, run.epoch) for run in row.runs).items() if count > 1), None)
    if twice is not None:
        raise LogError(f"{row.path}: the run of {twice[0]} is in it twice")


def _check_run(path: str, run: RunRow, total: int) -> None:
    score = run.scores.get(SCORER)
    if score is None or run.error is not None or not isinstance(score.outcome, Scored):
        return
    problem = _contradiction(score.outcome.value, score.metadata, total)
    if problem is not None:
        raise LogError(f"{path}: the run of {run.id} contradicts itself: {problem}")


def _contradiction(value: float, metadata: Mapping[str, Any], total: int) -> str | None:
    passed, of, results = metadata.get("passed"), metadata.get("total"), metadata.get("results")
    if type(passed) is not int or type(of) is not int:
        return None  # the reader says what is missing
    if not 0 <= passed <= of:
        return f"{passed} of {of} checks passed"
    if of != total:
        return f"{of} checks where its task has {total}"
    # A very long row of results is not in the summary of a log.
    if results and (len(results) != of or results.count("1") != passed):
        return f"{passed} checks passed, and {str(results).count('1')} in the list of results"
    if exact(value) != exact(objective(passed, of)):
        return f"a score of {value:g} for {passed} of {of} checks"
    return None
