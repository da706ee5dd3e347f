"""Finishing what a judge left open: grading the runs of an existing log without calling the subject again.

Law: the runs without a number are graded (all of them with `everything`); a run whose sample failed has no answer and
is left alone. The old score stays in the score's history, with who changed it and why; metrics are computed anew. A
log is written whole or not at all. Scores of two judges never stand side by side: where some runs keep the number of
another judge, everything must be graded again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.errors import InputError, LogError, boundary
from steelyard.logs.identity import STAMP_KEY, read_stamp
from steelyard.logs.scores import number_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score, Scorer

AUTHOR = "steelyard rescore"


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
    """Why, each reason once."""


def rescore(
    log_path: str | Path,
    scorer: Scorer,
    *,
    everything: bool,
    judge: str | None = None,
    rubric: str | None = None,
) -> Rescored:
    """Grade the open runs of a log with `scorer`, or all runs; `judge` and `rubric` go into its fingerprint.

    `judge` is the panel's `identity`. Raises `LogError` for a log that cannot be read or is not finished, `InputError`
    when the result would mix two judges.
    """
    from inspect_ai import score  # pyright: ignore[reportUnknownVariableType]
    from inspect_ai.log import read_eval_log, recompute_metrics
    from inspect_ai.util import registry_info

    name = registry_info(scorer).name.rsplit("/", 1)[-1]
    before = _trace(log_path)
    with boundary(LogError, f"cannot read {log_path}"):
        log = read_eval_log(str(log_path))
    if log.status == "started":
        raise LogError(f"{log_path} is unfinished", cure="run it to its end first")
    samples = [sample for sample in log.samples or [] if sample.error is None]
    chosen = [sample for sample in samples if everything or _number(sample, name) is None]
    kept = [sample for sample in samples if not any(sample is each for each in chosen)]
    _refuse_mix(log, judge, rubric, kept)
    if chosen:
        # Without the old scores: a scorer must not see what others said. `score` works on a copy of all this.
        part = log.model_copy(update={"samples": [sample.model_copy(update={"scores": {}}) for sample in chosen]})
        with boundary(LogError, f"cannot grade {log_path}"):
            done = score(part, scorer, model="none/none", action="overwrite", display="none")
        for sample in done.samples or []:
            _replace(log, sample, judge)
        _restamp(log, judge, rubric)
        recompute_metrics(log)
        _write(log, log_path, before)
    return _summary(str(log_path), log, chosen, name)


def _number(sample: EvalSample, name: str) -> float | None:
    found = (sample.scores or {}).get(name)
    return None if found is None else number_of(found.value)


def _refuse_mix(log: EvalLog, judge: str | None, rubric: str | None, kept: list[EvalSample]) -> None:
    stamp = read_stamp(log.eval.metadata)
    if stamp is None or not kept:
        return
    earlier = (stamp.fingerprint.judge, stamp.fingerprint.rubric)
    if earlier != (judge, rubric if rubric is not None else earlier[1]):
        raise InputError(
            f"{log.location}: {len(kept)} runs were graded by {earlier[0] or 'no judge'}, not by {judge or 'no judge'}"
            " with the same rubric",
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


def _write(log: EvalLog, log_path: str | Path, before: tuple[int, int] | None) -> None:
    from inspect_ai.log import write_eval_log

    with boundary(LogError, f"cannot write {log_path}"):
        if before is None:  # remote: one object, put whole
            write_eval_log(log, str(log_path))
            return
        target = Path(log_path)
        part = target.with_name(f".{target.name}.part")
        try:
            write_eval_log(log, part, format="json" if target.suffix == ".json" else "eval")
            if _trace(target) != before:
                raise LogError(f"{target} changed while it was being graded", cure="run the command again")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def _trace(log_path: str | Path) -> tuple[int, int] | None:
    """Size and time of a local file, None for a remote one."""
    if "://" in str(log_path):
        return None
    with boundary(LogError, f"cannot read {log_path}"):
        found = Path(log_path).stat()
    return found.st_size, found.st_mtime_ns


def _summary(path: str, log: EvalLog, chosen: list[EvalSample], name: str) -> Rescored:
    everyone = log.samples or []
    still = [sample for sample in everyone if _number(sample, name) is None]
    scored = sum(_number(sample, name) is not None for sample in chosen)
    reasons = dict.fromkeys(_reason((sample.scores or {}).get(name)) for sample in still if sample.error is None)
    return Rescored(path, len(chosen), scored, len(still), tuple(reasons))


def _reason(found: Score | None) -> str:
    text = (found.explanation if found is not None else None) or "no score"
    return text.splitlines()[0][:300]
