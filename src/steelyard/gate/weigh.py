"""(logs or results files, spec) → a comparison, or why there is none: docs/scoring.md §3.2.

No verdict, with what is missing and how to get it: no common task, unequal fingerprints (the field is named), an
unscored run on either side, a judge that is required and was not there.
"""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from steelyard.gate.compare import compare
from steelyard.gate.model import Arm, Comparison, Gap, NoVerdict, Run, Thresholds, Weighed
from steelyard.gate.read.arm import read_arm

_SHOWN = 5
"""Gaps named one by one; the rest is counted."""
_CHANCE = "both sides ran the same configuration: whatever differs is chance, and nothing can be promoted"


@dataclass(frozen=True, slots=True)
class Spec:
    """What a comparison is asked for."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    scorer: str | None = None
    """Which score of foreign logs to weigh, when they have several."""
    require_judge: bool = False
    """Without a verdict of the judge there is no verdict at all."""
    historical: bool = False
    """The baseline was run earlier, not interleaved with the candidate."""


def weigh(baseline: Sequence[str], candidate: Sequence[str], spec: Spec | None = None) -> Weighed:
    """Compare what stands behind two lists of logs, folders or results files."""
    asked = spec or Spec()
    with _uncollected():
        before = read_arm(baseline, "baseline", scorer=asked.scorer)
        after = read_arm(candidate, "candidate", scorer=asked.scorer)
        return weigh_arms(before, after, asked)


@contextmanager
def _uncollected() -> Generator[None]:
    """Large logs become hundreds of thousands of objects that are all kept; looking for garbage among them is half
    of the time and finds none."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def weigh_arms(baseline: Arm, candidate: Arm, spec: Spec) -> Weighed:
    """Compare two arms that have been read."""
    before = dataclasses.replace(baseline.side, historical=spec.historical)
    outcome = _obstacle(baseline, candidate) or _weighed(baseline, candidate, spec)
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Weighed(outcome, before, candidate.side, tuple(_warnings(baseline, candidate, spec)), stamp)


def _weighed(baseline: Arm, candidate: Arm, spec: Spec) -> Comparison | NoVerdict:
    arms = baseline.runs, candidate.runs
    if baseline.side.kind == "log":
        made = _foreign_runs(*arms)
        if isinstance(made, NoVerdict):
            return made
        arms = made
    found = compare(*arms, spec.thresholds)
    if isinstance(found, Comparison) and _same_configuration(baseline, candidate):
        found = dataclasses.replace(found, ambiguities=(*found.ambiguities, _CHANCE))
    if isinstance(found, Comparison) and spec.require_judge:
        return _judge_required(found) or found
    return found


def _same_configuration(baseline: Arm, candidate: Arm) -> bool:
    return baseline.side.config is not None and baseline.side.config == candidate.side.config


def _obstacle(baseline: Arm, candidate: Arm) -> NoVerdict | None:
    if baseline.side.kind != candidate.side.kind:
        kinds = {"gate": "gate runs", "log": "Inspect logs of another task", "results": "a results file"}
        sides = f"the baseline is {kinds[baseline.side.kind]}, the candidate {kinds[candidate.side.kind]}"
        return NoVerdict((f"the two sides cannot be compared: {sides}",))
    unscored = not baseline.runs or not candidate.runs
    if (differing := differing_fields(baseline.identity, candidate.identity)) and not unscored:
        reasons = tuple(f"unequal fingerprints: {name} is {one!r} and {other!r}" for name, one, other in differing)
        return NoVerdict(reasons, ("run both sides with the same tasks, judge and settings",))
    if baseline.gaps or candidate.gaps:
        return _unscored(baseline, candidate)
    runs = [*baseline.runs, *candidate.runs]
    if runs and all(run.note for run in runs):
        # Equal zeros everywhere would read as neutral; nothing that did not run may end in 0.
        return NoVerdict((f"every run of both sides failed; the first: {runs[0].note}",))
    return None


def differing_fields(one: Mapping[str, object], other: Mapping[str, object]) -> list[tuple[str, object, object]]:
    """(field, value, value) for everything that must be equal and is not."""
    found = ((name, one.get(name, "absent"), other.get(name, "absent")) for name in sorted({*one, *other}))
    return [each for each in found if each[1] != each[2]]


def _unscored(baseline: Arm, candidate: Arm) -> NoVerdict:
    reasons: list[str] = []
    for name, arm in (("baseline", baseline), ("candidate", candidate)):
        total = len(arm.gaps)
        reasons += [f"{name}: {_describe(gap)}" for gap in arm.gaps[:_SHOWN]]
        if total > _SHOWN:
            reasons.append(f"{name}: and {total - _SHOWN} more runs without a score")
    return NoVerdict(tuple(reasons), tuple(_cures(baseline, candidate)))


def _describe(gap: Gap) -> str:
    how = "was not run" if gap.fault == "missing" else f"is unscored through the {gap.fault}"
    return f"{gap.task} (round {gap.epoch}) {how}: {gap.reason}"


def _cures(baseline: Arm, candidate: Arm) -> list[str]:
    gaps = [*baseline.gaps, *candidate.gaps]
    logs = sorted({gap.source for gap in gaps if gap.source})
    if baseline.side.kind == "results":
        return ["measure the telemetry again, or leave the metric out"]
    if baseline.side.kind == "log":
        return [f"inspect eval-retry {log}" for log in logs] or ["run the missing samples"]
    return ["run the same `steelyard gate run` command again: it runs only what is missing"]


def _judge_required(found: Comparison) -> NoVerdict | None:
    used = any(each.judge == "used" for each in found.tasks)
    # A task without a rubric asks for no judge; but where no task was judged at all, a judge was.
    lacking = [each.task for each in found.tasks if each.judge == "dropped" or not used]
    if not lacking:
        return None
    why = found.ambiguities or (f"no judge score on {', '.join(lacking[:_SHOWN])}",)
    return NoVerdict(
        tuple(f"a judge is required: {reason}" for reason in why), ("steelyard gate rescore LOGS --judge NAME",)
    )


def _foreign_runs(base: Sequence[Run], cand: Sequence[Run]) -> tuple[Sequence[Run], Sequence[Run]] | NoVerdict:
    """Scores of anybody's task: one objective check where all are 0 or 1, else composites in [0, 1]."""
    values = {run.composite for run in (*base, *cand)}
    outside = next((value for value in values if value is not None and not 0 <= value <= 1), None)
    if outside is not None:
        reason = f"the scorer gives numbers outside [0, 1] ({outside:g})"
        return NoVerdict((reason,), ("weigh a score between 0 and 1 with --scorer",))
    if values <= {0.0, 1.0}:
        return [_as_check(run) for run in base], [_as_check(run) for run in cand]
    return [_as_composite(run) for run in base], [_as_composite(run) for run in cand]


def _as_check(run: Run) -> Run:
    return run if run.total else dataclasses.replace(run, passed=run.composite or 0.0, total=1)


def _as_composite(run: Run) -> Run:
    return dataclasses.replace(run, passed=0, total=0) if run.total else run


def _warnings(baseline: Arm, candidate: Arm, spec: Spec) -> list[str]:
    found: list[str] = []
    if spec.historical:
        found.append("the baseline is historical: it was run earlier, not side by side with the candidate")
    before, after = baseline.side, candidate.side
    for name, one, other in differing_fields(before.environment, after.environment):
        found.append(f"{name} differs: {one} and {other}")
    if before.rounds != after.rounds:
        found.append(f"the baseline has {before.rounds} rounds, the candidate {after.rounds}")
    if before.kind == "log" and before.model != after.model:
        found.append(f"the model differs: {before.model} and {after.model}")
    for name, arm in (("baseline", baseline), ("candidate", candidate)):
        failed = [run for run in arm.runs if run.note]
        if failed:
            found.append(f"{len(failed)} of {len(arm.runs)} {name} runs failed as a whole; the first: {failed[0].note}")
    alone = {run.task for run in candidate.runs} - {run.task for run in baseline.runs}
    if before.kind == "log" and alone:
        share = f"{len(alone)} of {len(alone | {run.task for run in baseline.runs})} samples"
        found.append(f"{share} stand in the candidate's log only and count for nothing; was the baseline limited?")
    if spec.scorer is not None and before.kind != "log":
        found.append("--scorer picks a score of foreign Inspect logs; it was not used here")
    return found
