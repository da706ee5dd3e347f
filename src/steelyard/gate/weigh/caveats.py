"""What a reader of a comparison should know beside its verdict. Pure."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from steelyard.gate.model import Arm, each_side
from steelyard.gate.under_test import differing_fields
from steelyard.report.numbers import things

_SHOWN = 5
"""Tasks and files named one by one; the rest is counted."""


def caveats(baseline: Arm, candidate: Arm, historical: bool, interleaved: bool, scorer: str | None) -> list[str]:
    """The warnings of a comparison."""
    warnings: list[str] = []
    before, after = baseline.side, candidate.side
    if historical:
        age = _age(before.created, after.created)
        warnings.append(f"the baseline is historical: it was run {age}, not side by side with the candidate")
    if interleaved and not (baseline.interleaved and candidate.interleaved):
        warnings.append("the files do not say how they were run; --interleaved states that both sides ran together")
    for name, one, other in differing_fields(before.environment, after.environment):
        warnings.append(f"{name} differs: {one} and {other}")
    if before.rounds != after.rounds:
        warnings.append(f"the baseline has {things(before.rounds, 'round')}, the candidate {after.rounds}")
    warnings += _shared(baseline, candidate)
    for name, arm in each_side(baseline, candidate):
        if arm.side.attempts is not None and arm.side.attempts > len(arm.runs) + len(arm.extra):
            made = things(len(arm.runs) + len(arm.extra), "run")
            warnings.append(f"the {name} took {things(arm.side.attempts, 'attempt')} for {made}")
        failed = [run for run in arm.runs if run.note]
        if failed:
            warnings.append(
                f"{len(failed)} of {len(arm.runs)} {name} runs failed as a whole; the first: {failed[0].note}"
            )
        for idle, number in Counter(run.idle for run in arm.runs if run.idle).items():
            tasks = sorted({run.task for run in arm.runs if run.idle == idle})
            named = ", ".join((*tasks[:_SHOWN], *(["…"] if len(tasks) > _SHOWN else [])))
            warnings.append(f"{number} of {len(arm.runs)} {name} runs: the agent {idle} ({named})")
    alone = {run.task for run in candidate.runs} - {run.task for run in baseline.runs}
    if before.kind == "log" and alone:
        share = f"{len(alone)} of {len(alone | {run.task for run in baseline.runs})} samples"
        warnings.append(f"{share} are only in the candidate's log and do not count; was the baseline limited?")
    if scorer is not None and before.kind != "log":
        warnings.append("--scorer chooses a score of foreign Inspect logs; it has no effect here")
    return warnings


def _age(before: str | None, after: str | None) -> str:
    """How much earlier one side was run than the other, in its largest unit."""
    try:
        minutes = (datetime.fromisoformat(str(after)) - datetime.fromisoformat(str(before))).total_seconds() / 60
    except (TypeError, ValueError):
        return "earlier"
    units = ((minutes // size, unit) for unit, size in (("day", 1440), ("hour", 60), ("minute", 1)))
    number, unit = next(((int(number), unit) for number, unit in units if number >= 1), (0, ""))
    return f"{number} {unit}{'' if number == 1 else 's'} earlier" if number else "earlier"


def _shared(baseline: Arm, candidate: Arm) -> list[str]:
    """The logs or files that both sides hold, under whatever names, in words."""
    shared = [origin for origin in baseline.origins if origin in candidate.origins]
    pairs = list(dict.fromkeys((baseline.origins[origin], candidate.origins[origin]) for origin in shared))
    # One file of another harness may hold both sides, each under its own label.
    if baseline.side.kind == "results" and baseline.side.label != candidate.side.label:
        pairs = [(one, other) for one, other in pairs if one != other]
    what = "scores" if baseline.side.kind == "results" else "runs"
    lines = [
        f"both sides are the same file: {one}"
        if one == other
        else f"both sides hold the same {what}: {one} and {other}"
        for one, other in pairs
    ]
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more on both sides"]
