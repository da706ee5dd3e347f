"""Finishing what a judge left open: grading the runs of an existing log without calling the subject again.

Law: the runs without a number are graded (all of them with `everything`); a run whose sample failed has no answer and
is left alone, and so is one that `wanted` says a judge has nothing to grade in. The old score stays in the score's
history, with who changed it and why; metrics are computed anew. A number never gives way to "no verdict": a run that
could not be graded again keeps its score. Scores of two judges never stand side by side: where some runs keep the
number of another judge, everything must be graded again, and a log passes to another judge only when that judge has a
verdict on every run that had a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.errors import InputError, LogError, boundary
from steelyard.logs.identity import STAMP_KEY, read_stamp
from steelyard.logs.scores import number_of
from steelyard.logs.write import Draft, new_draft, read_draft, write_draft

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score, Scorer

AUTHOR = "steelyard rescore"


class NothingToJudge(InputError):
    """A log that a judge has no business with: among others it is passed over."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """What became of one log."""

    path: str
    graded: int
    """Runs that were graded now."""
    scored: int
    """Of those, runs that have a number now."""
    open: int
    """Runs that still have none, failed samples included."""
    reasons: tuple[str, ...]
    """Why there is no new number, each reason once."""
    kept: int = 0
    """Runs that were to be graded again, got no verdict, and keep the score they had."""

    @property
    def finished(self) -> bool:
        """Everything that was asked for has a number."""
        return not (self.open or self.kept)


Wanted = Callable[["EvalSample"], bool]
"""Whether a run holds something for a judge to grade."""


@dataclass(frozen=True, slots=True)
class Grading:
    """Who grades again, and what."""

    scorer: Scorer
    everything: bool
    judge: str | None = None
    """The panel's `identity`; goes into the log's fingerprint."""
    rubric: str | None = None
    """Its hash; None leaves the log's own."""
    wanted: Wanted | None = None
    """None: every run."""

    @property
    def name(self) -> str:
        """Of the score in the log."""
        from inspect_ai.util import registry_info

        return registry_info(self.scorer).name.rsplit("/", 1)[-1]


def rescore(
    log_path: str | Path,
    scorer: Scorer,
    *,
    everything: bool,
    judge: str | None = None,
    rubric: str | None = None,
    wanted: Wanted | None = None,
) -> Rescored:
    """Grade the open runs of a log with `scorer`, or all runs; `judge` and `rubric` go into its fingerprint.

    Raises `LogError` for a log that cannot be read or is not finished, `InputError` when the result would mix two
    judges.
    """
    return _graded(read_draft(log_path), Grading(scorer, everything, judge, rubric, wanted))


def rescore_copy(log: EvalLog, target: Path, scorer: Scorer, *, judge: str | None, rubric: str | None) -> Rescored:
    """Grade every run of a log in memory and write it to `target`, a file that is not there yet."""
    return _graded(new_draft(log, target), Grading(scorer, True, judge, rubric))


def _graded(draft: Draft, grading: Grading) -> Rescored:
    log, place = draft.log, draft.path
    if log.status == "started":
        raise LogError(f"{place} is unfinished", cure="run it to its end first")
    name = grading.name
    gradable = [sample for sample in log.samples or [] if grading.wanted is None or grading.wanted(sample)]
    samples = [sample for sample in gradable if sample.error is None]
    chosen = [sample for sample in samples if grading.everything or _number(sample, name) is None]
    standing = [sample for sample in samples if not any(sample is each for each in chosen)]
    if _other_judge(log, grading) and standing:
        raise _mix(log, grading, len(standing))
    if not chosen:
        return _summary(place, name, gradable, [], [])
    fresh = _scores(log, place, chosen, grading)
    had = {_key(sample) for sample in chosen if _number(sample, name) is not None}
    lost = [sample for sample in fresh if _number(sample, name) is None and _key(sample) in had]
    if lost and _other_judge(log, grading):
        return _summary(place, name, gradable, fresh, [sample for sample in fresh if _key(sample) in had])
    _enter(log, [sample for sample in fresh if not any(sample is each for each in lost)], grading)
    write_draft(draft)
    return _summary(place, name, gradable, fresh, lost)


def _scores(log: EvalLog, place: str, chosen: list[EvalSample], grading: Grading) -> list[EvalSample]:
    """Copies of the chosen samples with their new scores."""
    from inspect_ai import score  # pyright: ignore[reportUnknownVariableType]

    # Without the old scores: a scorer must not see what others said. `score` works on a copy of all this.
    part = log.model_copy(update={"samples": [sample.model_copy(update={"scores": {}}) for sample in chosen]})
    with boundary(LogError, f"cannot grade {place}"):
        return list(score(part, grading.scorer, model="none/none", action="overwrite", display="none").samples or [])


def _key(sample: EvalSample) -> tuple[int | str, int]:
    return sample.id, sample.epoch


def _enter(log: EvalLog, fresh: list[EvalSample], grading: Grading) -> None:
    from inspect_ai.log import recompute_metrics

    for sample in fresh:
        _replace(log, sample, grading.judge)
    _restamp(log, grading.judge, grading.rubric)
    recompute_metrics(log)


def _number(sample: EvalSample, name: str) -> float | None:
    found = (sample.scores or {}).get(name)
    return None if found is None else number_of(found.value)


def _other_judge(log: EvalLog, grading: Grading) -> bool:
    """Whether the numbers that stand in the log are of another judge or rubric."""
    stamp = read_stamp(log.eval.metadata)
    if stamp is None:
        return False
    earlier = (stamp.fingerprint.judge, stamp.fingerprint.rubric)
    return earlier != (grading.judge, grading.rubric if grading.rubric is not None else earlier[1])


def _mix(log: EvalLog, grading: Grading, standing: int) -> InputError:
    stamp = read_stamp(log.eval.metadata)
    earlier = stamp.fingerprint.judge if stamp is not None else None
    return InputError(
        f"{log.location}: {standing} runs were graded by {earlier or 'no judge'}, not by "
        f"{grading.judge or 'no judge'} with the same rubric",
        cure="use --all to grade every run again",
    )


def _replace(log: EvalLog, graded: EvalSample, judge: str | None) -> None:
    """Enter the new scores of one sample; the old ones move to the history."""
    from inspect_ai.log import ProvenanceData, edit_score
    from inspect_ai.scorer import ScoreEdit

    for name, found in (graded.scores or {}).items():
        edit = ScoreEdit(
            value=found.value,
            answer=found.answer,
            explanation=found.explanation,
            reason=found.reason,
            metadata=found.metadata or {},
            provenance=ProvenanceData(author=AUTHOR, reason="graded again", metadata={"judge": judge}),
        )
        edit_score(log, graded.id, name, edit, recompute_metrics=False, epoch=graded.epoch)


def _restamp(log: EvalLog, judge: str | None, rubric: str | None) -> None:
    stamp: Any = (log.eval.metadata or {}).get(STAMP_KEY)
    if isinstance(stamp, dict) and isinstance(fingerprint := stamp.get("fingerprint"), dict):  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        fingerprint["judge"] = judge
        if rubric is not None:
            fingerprint["rubric"] = rubric


def _summary(
    place: str, name: str, gradable: list[EvalSample], fresh: list[EvalSample], kept: list[EvalSample]
) -> Rescored:
    """`gradable` as the log holds it now; `fresh` as it was graded; `kept` are those whose earlier score stands."""
    still = [sample for sample in gradable if _number(sample, name) is None]
    entered = {_key(sample) for sample in fresh} - {_key(sample) for sample in kept}
    scored = sum(_key(sample) in entered and _number(sample, name) is not None for sample in gradable)
    silent = [*(each for each in still if each.error is None), *(each for each in kept if _number(each, name) is None)]
    reasons = dict.fromkeys(_reason((sample.scores or {}).get(name)) for sample in silent)
    if failed := sum(each.error is not None for each in still):
        reasons[_failed(failed)] = None
    return Rescored(place, len(fresh), scored, len(still), tuple(reasons), len(kept))


def _failed(runs: int) -> str:
    """Grading cannot help there."""
    return (
        "1 run failed and holds no answer; run it again"
        if runs == 1
        else (f"{runs} runs failed and hold no answer; run them again")
    )


def _reason(found: Score | None) -> str:
    text = (found.explanation if found is not None else None) or "no score"
    return text.splitlines()[0][:300]
