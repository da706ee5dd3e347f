"""Refuses a log that contradicts itself: it was damaged, or changed by hand.

Promotion recomputes everything from the logs, so a log is believed only as far as its parts agree with each other: the
tasks with the fingerprint, the counts with the results of the checks, the score with the counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from steelyard.errors import LogError
from steelyard.gate.metadata import SCORER
from steelyard.gate.score import objective
from steelyard.logs.identity import samples_hash
from steelyard.logs.scores import outcome_of
from steelyard.outcome import Outcome, Scored, exact
from steelyard.rows import LogRow, RunRow, ScoreRow


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


def refuse_other_results(row: LogRow, scorer: str, key: str | None) -> None:
    """Raise a `LogError` if a log of whatever task has other results than its samples give."""
    # An interrupted log completed fewer than planned; one that claims more than it holds has lost samples.
    if row.completed is not None and row.runs and row.completed > len(row.runs):
        raise LogError(f"{row.path}: {row.completed} runs completed by its results, and it has {len(row.runs)}")
    claimed = row.means.get(scorer if key is None else f"{scorer}.{key}")
    outcomes = [part_of(run.scores[scorer], key) for run in row.runs if scorer in run.scores]
    values = [outcome.value for outcome in outcomes if isinstance(outcome, Scored)]
    # Whatever has no score makes no verdict anyway, and how the mean treats it is the scorer's affair.
    if row.status != "success" or claimed is None or len(values) < max(1, len(row.runs)):
        return
    mean = sum(values) / len(values)
    if not math.isclose(mean, claimed, rel_tol=1e-6, abs_tol=1e-6):
        raise LogError(f"{row.path}: the mean of {scorer} is {claimed:g} in its results, and {mean:g} in its samples")


def part_of(score: ScoreRow, key: str | None) -> Outcome:
    """A score, or one of its values."""
    if key is None:
        return score.outcome
    whole: Any = score.value
    parts = cast(Mapping[str, Any], whole if isinstance(whole, dict) else {})
    return outcome_of(parts.get(key), explanation=f"the score has no number under {key!r}")


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
