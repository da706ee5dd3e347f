"""Grades the runs of finished logs again: only the judge runs, not the agent.

A candidate's run that is compared in pairs needs the baseline's result of the same task and round. It is taken from the
baseline's logs: those that are named, or those in the folder of the candidate's log. A baseline on record may have
fewer rounds; then they are used in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from steelyard.artifact import table
from steelyard.errors import LogError
from steelyard.gate.metadata import JUDGE, PAIRWISE, STORE, position_of
from steelyard.gate.scorer import WAITS, Around, gate_judge
from steelyard.judge.panel import Panel
from steelyard.judge.rubric import Rubric
from steelyard.location import location
from steelyard.logs.read import read_log, read_logs
from steelyard.logs.rescore import NothingToJudge, Rescored, rescore
from steelyard.logs.write import read_draft
from steelyard.outcome import Unscored

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

    from steelyard.rows import LogRow
    from steelyard.stamp import Stamp


def rescore_log(path: str, panel: Panel, *, everything: bool, baseline: Sequence[str] = ()) -> Rescored:
    """Grade what has no verdict yet (or all) in one log of the gate; `baseline` names the logs to compare with."""
    row = read_log(path)
    stamp = row.stamp
    if stamp is None:
        raise LogError(f"{path} is not a log of the gate, or has no stamp")
    if stamp.wing != "gate":
        raise NothingToJudge(f"{path} is a log of {stamp.wing}, not of the gate")
    if stamp.fingerprint.rubric is None:
        raise NothingToJudge(f"{path}: no task has a rubric, so there is nothing for a judge to grade")
    others: dict[str, Rubric] = {}

    def gradable(sample: EvalSample) -> bool:
        if not has_rubric(sample):
            return False
        rubric = Rubric.model_validate(sample.store[STORE]["rubric"])
        # Collected on the way: decoys may be drawn from the rubrics of other tasks.
        others[rubric.sha] = rubric
        return True

    own = stamp.unit == "baseline"
    compared = stamp.extra.get(PAIRWISE) and not own
    rivals = rival_results(_rows(path, baseline), row) if compared else {}

    def around(task: str) -> Around:
        return Around(tuple(others.values()), own, rivals.get(task))

    scorer = gate_judge(list(panel.judges), panel.repeats, panel.cache, around)
    return rescore(path, scorer, everything=everything, judge=panel.identity, gradable=gradable)


def _rows(path: str, baseline: Sequence[str]) -> Iterable[LogRow]:
    """The named logs, or those in the folder of the log, without its subfolders."""
    if baseline:
        return read_logs(baseline).rows
    folder = location(path).parent
    return (row for row in read_logs([folder]).rows if location(row.path).parent == folder)


def has_rubric(sample: EvalSample) -> bool:
    """Whether a judge has something to grade in a run: its task has a rubric."""
    return table(sample.store.get(STORE)).get("rubric") is not None


def waits(row: LogRow) -> bool:
    """Whether a run of the candidate has not been compared yet."""
    scores = (run.scores[JUDGE].outcome for run in row.runs if JUDGE in run.scores)
    return any(isinstance(outcome, Unscored) and outcome.reason.startswith(WAITS) for outcome in scores)


def rival_results(rows: Iterable[LogRow], candidate: LogRow) -> dict[str, str]:
    """Task → the baseline's result that belongs to a log of the candidate."""
    found: dict[str, dict[tuple[int, int], str]] = {}
    # In order of time, so that the newest result of a round is kept.
    for row in sorted(rows, key=lambda row: (row.began, row.path)):
        if not _is_rival(row.stamp, candidate.stamp):
            continue
        for task, text in _results(row.path).items():
            found.setdefault(task, {})[position_of(row)[:2]] = text
    number, watch, *_ = position_of(candidate)
    return {task: _of_round(results, number, watch) for task, results in found.items()}


def _results(path: str) -> dict[str, str]:
    """Task → what the judge would grade, of the runs that have a score."""
    found: dict[str, str] = {}

    def see(sample: EvalSample) -> None:
        kept = table(sample.store.get(STORE))
        if sample.error is None and not kept.get("unscored") and "text" in kept:
            found[str(sample.id)] = str(kept["text"])

    read_draft(path, see)
    return found


def _is_rival(other: Stamp | None, stamp: Stamp | None) -> bool:
    """Whether a log holds runs of the baseline, which on record may once have been the candidate of another run."""
    if other is None or stamp is None:
        return False
    same = (other.wing, other.fingerprint.dataset) == ("gate", stamp.fingerprint.dataset)
    return same and (other.unit == "baseline" or other.extra.get("config") != stamp.extra.get("config"))


def _of_round(results: dict[tuple[int, int], str], number: int, watch: int) -> str:
    """The result of a round; of those on record in turn if it is not among them."""
    own = results.get((number, watch))
    turn = list(results.values())
    return turn[(number + watch - 1) % len(turn)] if own is None else own
