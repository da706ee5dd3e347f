"""The Inspect scorer of the audit: has the agent's output marked, and writes every decision into the log.

The key is read here, by its path and after the agent is done: it is neither in the sample nor in any message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.audit.files import other_keys, read_brief
from steelyard.audit.findings import read_output
from steelyard.audit.key import key_hash
from steelyard.audit.marking import ByJudge, ByWords, Way, marker, marks_of_run
from steelyard.audit.marking.questions import Brief
from steelyard.audit.metadata import METADATA_KEY, marker_data, problem_data, run_data
from steelyard.audit.model import Marker, Marks, Output
from steelyard.audit.score import weighed
from steelyard.errors import SteelyardError
from steelyard.judge.panel import Panel
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

SCORER_VERSION = 1
"""1: the first."""

SCORER_NAME = "audit_scorer"

Marking = Literal["judge", "lexical", "later"]
"""How the runs of a task are marked: by a judge, by words, or later on a sheet."""

LATER = "not marked yet: mark it with `steelyard audit mark LOG`, or use `steelyard rescore`"


@scorer(metrics=[mean(), stderr()])
def audit_scorer(
    units: Mapping[str, Mapping[str, str | None]],
    perspective: str | None = None,
    marking: Marking = "lexical",
    judges: list[str] | None = None,
    judge_repeats: int = 1,
    judge_cache: bool = True,
) -> Scorer:
    """Score a run against its answer key.

    Args:
        units: Per sample id the paths `key` (None for a clean control) and `document`.
        perspective: Path of the description of what is in scope.
        marking: How the runs are marked.
        judges: Judge models, if a judge marks.
        judge_repeats: Verdicts per judge.
        judge_cache: Whether earlier verdicts may be reused.
    """
    way = _way(marking, Panel(tuple(judges), judge_repeats, judge_cache) if judges else None)

    async def score(state: TaskState, target: Target) -> Score:
        unit = units.get(str(state.sample_id))
        if unit is None:
            return to_score(Unscored("harness", f"no document {state.sample_id} in this task"))
        output = read_output(state.output.completion, f"run{state.epoch}")
        try:
            brief = replace(read_brief(unit, perspective), others=other_keys(units, str(state.sample_id)))
        except SteelyardError as error:
            return to_score(Unscored("harness", str(error)))
        if isinstance(way, Unscored) and brief.key.problems:
            return to_score(way, answer=output.text, metadata={})
        # A control document is marked without a judge or a person, so by words is as good as any way.
        usable = ByWords() if isinstance(way, Unscored) else way
        return _score(brief, output, await marks_of_run(brief, output, usable), marker(brief, usable))

    return score


def _way(marking: Marking, panel: Panel | None) -> Way | Unscored:
    """How the runs of a task are marked, or why they stay unscored."""
    if marking == "later":
        return Unscored("judge", LATER)
    if marking == "lexical":
        return ByWords()
    return ByJudge(panel) if panel else Unscored("judge", "no judge is configured")


def _score(brief: Brief, output: Output, marks: Marks | Unscored, marker: Marker) -> Score:
    if isinstance(marks, Unscored):
        # A `NoVerdict` knows what asking cost; any other `Unscored` has no metadata.
        carried = getattr(marks, "metadata", dict[str, Any])()
        return to_score(marks, answer=output.text, metadata=carried)
    run = weighed(brief.key.problems, output, marks)
    metadata = {
        METADATA_KEY: run_data(run),
        "marker": marker_data(marker),
        "problems": [problem_data(problem) for problem in brief.key.problems],
        "key_hash": key_hash(brief.key),
    }
    counts = {mark: sum(cell.mark == mark for cell in run.cells) for mark in ("detected", "partial", "missed")}
    marked = ", ".join(f"{count} {mark}" for mark, count in counts.items())
    extras = f"{run.counted('bonus')} bonus, {run.counted('penalty')} penalty"
    return to_score(Scored(run.score), answer=output.text, explanation=f"{marked}; {extras}", metadata=metadata)
