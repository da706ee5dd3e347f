"""Why two arms give no verdict (docs/scoring.md §3.2), with a cure. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.gate.model import Arm, Comparison, Gap, NoVerdict, each_side
from steelyard.gate.under_test import under_test
from steelyard.report.numbers import things

_SHOWN = 5
"""Gaps listed one by one; the rest is counted."""


def obstacle(baseline: Arm, candidate: Arm, vary: Sequence[str]) -> NoVerdict | None:
    """Why two arms cannot be compared; None if they can."""
    if baseline.side.kind != candidate.side.kind:
        kinds = {"gate": "gate runs", "log": "Inspect logs of another task", "results": "a results file"}
        sides = f"the baseline is {kinds[baseline.side.kind]}, the candidate {kinds[candidate.side.kind]}"
        return NoVerdict((f"the two sides cannot be compared: {sides}",))
    # A side without any run is better explained by why it has none than by what differs.
    unscored = not baseline.runs or not candidate.runs
    if (unlike := under_test(baseline, candidate, vary).obstacle) and not unscored:
        return unlike
    if changed := _other_questions(baseline, candidate):
        return changed
    if baseline.gaps or candidate.gaps:
        return _unscored(baseline, candidate)
    runs = [*baseline.runs, *candidate.runs]
    if runs and all(run.note for run in runs):
        # Equal zeros everywhere would look neutral, and exit code 0 is only for things that ran.
        return NoVerdict((f"every run of both sides failed; the first: {runs[0].note}",))
    return None


def _unscored(baseline: Arm, candidate: Arm) -> NoVerdict:
    reasons: list[str] = []
    for name, arm in each_side(baseline, candidate):
        alike: dict[tuple[str, str], list[Gap]] = {}
        for gap in arm.gaps:
            alike.setdefault((gap.fault, gap.reason), []).append(gap)
        groups = list(alike.values())
        reasons += [f"{name}: {_describe(gaps)}" for gaps in groups[:_SHOWN]]
        if left := sum(map(len, groups[_SHOWN:])):
            reasons.append(f"{name}: and {things(left, 'more run')} without a score")
    return NoVerdict(tuple(reasons), tuple(_cures(baseline, candidate)))


def _describe(gaps: Sequence[Gap]) -> str:
    """Runs that are missing for one and the same reason."""
    gap, others = gaps[0], len(gaps) - 1
    more, was, unscored = (f" and {things(others, 'more run')}", "were", "are") if others else ("", "was", "is")
    state = f"{was} not run" if gap.fault == "missing" else f"{unscored} unscored because of the {gap.fault}"
    return f"{gap.task} (round {gap.epoch}){more} {state}: {gap.reason}"


def _cures(baseline: Arm, candidate: Arm) -> list[str]:
    gaps = [*baseline.gaps, *candidate.gaps]
    logs = sorted({gap.source for gap in gaps if gap.source})
    if baseline.side.kind == "results":
        return ["run these again with the tool that wrote the results; a cost that was not measured is left out"]
    if baseline.side.kind == "log":
        return [f"inspect eval-retry {log}" for log in logs] or ["run the missing samples"]
    return ["run the same command again: it runs only what is missing"]


def _other_questions(baseline: Arm, candidate: Arm) -> NoVerdict | None:
    """Samples that both sides have under one id, but with another input or target."""
    reasons: list[str] = []
    for sample in baseline.questions.keys() & candidate.questions.keys():
        pairs = zip(*(arm.questions[sample].split("-") for arm in (baseline, candidate)), strict=True)
        words = [word for word, (one, other) in zip(("input", "target"), pairs, strict=True) if one != other]
        if words:
            reasons.append(f"the {' and the '.join(words)} of sample {sample} differ{'s' if len(words) == 1 else ''}")
    if not reasons:
        return None
    more = [f"and {len(reasons) - _SHOWN} more samples"] if len(reasons) > _SHOWN else []
    return NoVerdict((*sorted(reasons)[:_SHOWN], *more), ("run both sides on the same dataset",))


def judge_required(comparison: Comparison) -> NoVerdict | None:
    used = any(delta.judge == "used" for delta in comparison.tasks)
    # A task without a rubric needs no judge; but if no task at all was judged, the judge is missing.
    lacking = [delta.task for delta in comparison.tasks if delta.judge == "dropped" or not used]
    if not lacking:
        return None
    reasons = comparison.ambiguities or (f"no judge score on {', '.join(lacking[:_SHOWN])}",)
    return NoVerdict(
        tuple(f"a judge is required: {reason}" for reason in reasons), ("steelyard rescore LOGS --judge NAME",)
    )
