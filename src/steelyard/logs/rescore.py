"""Grades runs of an existing log without calling the subject again.

Runs without a number are graded (all runs with `everything`). A run whose sample failed has no answer and is
left alone, and so is a run that `gradable` rejects. The old score stays in the score's history, with author and
reason; metrics are recomputed. "No verdict" never replaces a number: a run that cannot be graded again keeps its
score. A log never mixes two judges: if some runs would keep the number of another judge, everything must be graded
again, and a log changes to another judge only if that judge has a verdict on every run that had a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.errors import InputError, LogError, boundary
from steelyard.logs.identity import read_stamp
from steelyard.logs.scores import number_of
from steelyard.logs.stored import HISTORY, Key, key_of
from steelyard.logs.write import Draft, read_draft, write_draft
from steelyard.stamp import STAMP_KEY

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score, Scorer

AUTHOR = "steelyard rescore"


class NothingToJudge(InputError):
    """The log holds nothing for a judge; a command over several logs skips it."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """The result of grading one log."""

    path: str
    graded: int
    """Runs graded by this call."""
    scored: int
    """Of those, the runs that now have a number."""
    open: int
    """Runs still without a number, failed samples included."""
    reasons: tuple[str, ...]
    """Why runs got no new number, without repetition."""
    kept: int = 0
    """Runs that got no new verdict and keep their old score."""

    @property
    def finished(self) -> bool:
        """Whether every run that should be graded has a number."""
        return not (self.open or self.kept)


Gradable = Callable[["EvalSample"], bool]
"""Whether a run has something for a judge to grade."""


@dataclass(frozen=True, slots=True)
class Grading:
    """Which runs to grade, and with what."""

    scorer: Scorer
    everything: bool
    judge: str | None = None
    """The panel's `identity`; goes into the log's fingerprint."""
    rubric: str | None = None
    """The rubric's hash; None keeps the log's own."""
    blank: bool = False
    """Whether the scores of before are left behind, those of runs that are not graded too."""

    @property
    def name(self) -> str:
        """Name of the score in the log."""
        from inspect_ai.util import registry_info

        return registry_info(self.scorer).name.rsplit("/", 1)[-1]


def rescore(
    log_path: str | Path,
    scorer: Scorer,
    *,
    everything: bool,
    judge: str | None = None,
    rubric: str | None = None,
    gradable: Gradable | None = None,
) -> Rescored:
    """Grade the open runs of a log with `scorer`, or all runs; `judge` and `rubric` go into its fingerprint.

    Raises `LogError` for a log that cannot be read or is not finished, `InputError` when the result would mix two
    judges.
    """
    grading = Grading(scorer, everything, judge, rubric)
    rejected: set[Key] = set()
    return _graded(read_draft(log_path, _rejecting(gradable, rejected)), grading, rejected)


def rescore_copy(draft: Draft, target: Path, scorer: Scorer, *, judge: str | None, rubric: str | None) -> Rescored:
    """Grade every run of a draft anew, as if it had no scores, and write it to `target`, which must not exist yet."""
    log = draft.log
    log.samples = [_blank(sample) for sample in log.samples or []]
    return _graded(draft.copied_to(target), Grading(scorer, True, judge, rubric, blank=True), set())


def _rejecting(gradable: Gradable | None, rejected: set[Key]) -> Callable[[EvalSample], None] | None:
    if gradable is None:
        return None

    def see(sample: EvalSample) -> None:
        if not gradable(sample):
            rejected.add(key_of(sample))

    return see


def _blank(sample: EvalSample) -> EvalSample:
    return sample.model_copy(update={"scores": {}})


def _graded(draft: Draft, grading: Grading, rejected: set[Key]) -> Rescored:
    log, place = draft.log, draft.path
    if log.status == "started":
        raise LogError(f"{place} is unfinished", cure="finish the run first")
    name = grading.name
    gradable = [sample for sample in log.samples or [] if key_of(sample) not in rejected]
    samples = [sample for sample in gradable if sample.error is None]
    chosen = [sample for sample in samples if grading.everything or _number(sample, name) is None]
    standing = len(samples) - len(chosen)
    if _other_judge(log, grading) and standing:
        raise _mix(log, grading, standing)
    if not chosen:
        return _summary(place, name, gradable, [], [])
    fresh = _scores(draft, chosen, grading)
    had = {key_of(sample) for sample in chosen if _number(sample, name) is not None}
    lost = [sample for sample in fresh if _number(sample, name) is None and key_of(sample) in had]
    # All or nothing: the new numbers beside the old ones would be a log of two judges.
    if lost and _other_judge(log, grading):
        return _summary(place, name, gradable, fresh, [sample for sample in fresh if key_of(sample) in had])
    _enter(draft, [sample for sample in fresh if not any(sample is other for other in lost)], grading)
    return _summary(place, name, gradable, fresh, lost)


def _scores(draft: Draft, chosen: list[EvalSample], grading: Grading) -> list[EvalSample]:
    """Copies of the chosen samples with their new scores; their answers are in memory a few at a time."""
    from inspect_ai import score

    known = {key_of(sample): sample for sample in chosen}
    fresh: list[EvalSample] = []
    with boundary(LogError, f"cannot grade {draft.path}"):
        for batch in draft.source.batches(known, leave_out=HISTORY):
            # Without the old scores: a scorer must not see earlier grades. `score` works on a copy.
            part = draft.log.model_copy(update={"samples": [_blank(sample) for sample in batch]})
            # `none/none`: whatever a scorer does, the subject is not called again.
            graded = score(part, grading.scorer, model="none/none", action="overwrite", display="none").samples or []
            # Copies of the light samples, because the graded ones hold whole answers.
            fresh += [known[key_of(sample)].model_copy(update={"scores": sample.scores}) for sample in graded]
    return fresh


def _enter(draft: Draft, fresh: list[EvalSample], grading: Grading) -> None:
    """Write the log with the new scores; the old ones move to the history."""
    from inspect_ai.log import recompute_metrics

    log = draft.log
    scores = {key_of(sample): sample.scores or {} for sample in fresh}
    edited = [sample for sample in log.samples or [] if grading.blank or key_of(sample) in scores]
    edits = {key: _edit(log, scores.get(key, {}), grading) for key in map(key_of, edited)}
    # Here on the light samples, for the metrics; `write_draft` makes the same edits on the whole ones.
    for sample in edited:
        edits[key_of(sample)](sample)
    _restamp(log, grading.judge, grading.rubric)
    recompute_metrics(log)
    write_draft(draft, edits)


def _edit(log: EvalLog, scores: dict[str, Score], grading: Grading) -> Callable[[EvalSample], EvalSample]:
    from inspect_ai.log import ProvenanceData, edit_score
    from inspect_ai.scorer import ScoreEdit

    edits = {
        name: ScoreEdit(
            value=score.value,
            answer=score.answer,
            explanation=score.explanation,
            reason=score.reason,
            metadata=score.metadata or {},
            provenance=ProvenanceData(author=AUTHOR, reason="graded again", metadata={"judge": grading.judge}),
        )
        for name, score in scores.items()
    }

    def edit(sample: EvalSample) -> EvalSample:
        if grading.blank:
            sample.scores = {}
        # A log of this sample alone, because `edit_score` searches all samples of a log for each edit.
        alone = log.model_copy(update={"samples": [sample]})
        for name, change in edits.items():
            edit_score(alone, sample.id, name, change, recompute_metrics=False, epoch=sample.epoch)
        return sample

    return edit


def _number(sample: EvalSample, name: str) -> float | None:
    score = (sample.scores or {}).get(name)
    return None if score is None else number_of(score.value)


def _other_judge(log: EvalLog, grading: Grading) -> bool:
    """Whether the log's numbers come from another judge or rubric."""
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


def _restamp(log: EvalLog, judge: str | None, rubric: str | None) -> None:
    stamp: Any = (log.eval.metadata or {}).get(STAMP_KEY)
    if isinstance(stamp, dict) and isinstance(fingerprint := stamp.get("fingerprint"), dict):
        fingerprint["judge"] = judge
        if rubric is not None:
            fingerprint["rubric"] = rubric


def _summary(
    place: str, name: str, gradable: list[EvalSample], fresh: list[EvalSample], kept: list[EvalSample]
) -> Rescored:
    """`gradable` as now in the log, `fresh` with the new scores, `kept` those that keep their earlier score."""
    still = [sample for sample in gradable if _number(sample, name) is None]
    entered = {key_of(sample) for sample in fresh} - {key_of(sample) for sample in kept}
    scored = sum(key_of(sample) in entered and _number(sample, name) is not None for sample in gradable)
    unscored = [sample for sample in still if sample.error is None]
    unscored += [sample for sample in kept if _number(sample, name) is None]
    reasons = dict.fromkeys(_reason((sample.scores or {}).get(name)) for sample in unscored)
    if failed := sum(sample.error is not None for sample in still):
        reasons[_failed(failed)] = None
    return Rescored(place, len(fresh), scored, len(still), tuple(reasons), len(kept))


def _failed(runs: int) -> str:
    """A failed run has no answer, so grading cannot help."""
    return (
        "1 run failed and holds no answer; run it again"
        if runs == 1
        else (f"{runs} runs failed and hold no answer; run them again")
    )


def _reason(score: Score | None) -> str:
    text = (score.explanation if score is not None else None) or "no score"
    return text.splitlines()[0][:300]
