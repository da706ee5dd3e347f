"""Quarantine: tasks and checks that count neither for nor against for a while (docs/scoring.md §3.6). Pure.

What is quarantined (`entries`) still runs and is still shown; it takes no part in sums, regressions or evidence. At
most 20% of the tasks may be touched; more is no verdict.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from steelyard.gate.evidence.policy import QuarantineEntry
from steelyard.gate.model import Arm, NoVerdict, Run
from steelyard.gate.quarantine.entries import QUARANTINE, active_entries, checks_by_task

MOST_SHARE = 0.2
"""Share of the tasks that may be quarantined, in whole or in part."""


class Quarantined(NamedTuple):
    """Both sides without what is quarantined."""

    baseline: Arm
    candidate: Arm
    active: tuple[QuarantineEntry, ...]
    notes: tuple[str, ...]
    """A line about each entry that gates again."""


def set_aside(
    baseline: Arm, candidate: Arm, entries: Sequence[QuarantineEntry], today: date
) -> Quarantined | NoVerdict:
    """Both sides without the runs, or the checks in them, that are quarantined today."""
    if not entries:
        return Quarantined(baseline, candidate, (), ())
    tasks = checks_by_task(baseline)
    active, notes = active_entries(entries, tasks, today, QUARANTINE)
    touched = {entry.task for entry in active}
    if len(touched) > MOST_SHARE * len(tasks):
        reason = f"{len(touched)} of {len(tasks)} tasks are quarantined, and at most {MOST_SHARE:.0%} may be"
        return NoVerdict((reason,), ("mend or remove some of them: steelyard gate quarantine",))
    return Quarantined(without(baseline, active), without(candidate, active), active, notes)


def without(arm: Arm, active: Sequence[QuarantineEntry]) -> Arm:
    """One side without what is quarantined; a task without anything left to count is left out whole."""
    if not active:
        return arm
    whole = {entry.task for entry in active if entry.check is None}
    checks: dict[str, set[str]] = {}
    for entry in active:
        if entry.check is not None:
            checks.setdefault(entry.task, set()).add(entry.check)
    return dataclasses.replace(
        arm,
        runs=_counted(arm.runs, whole, checks),
        extra=_counted(arm.extra, whole, checks),
        gaps=tuple(gap for gap in arm.gaps if gap.task not in whole),
    )


def only(arm: Arm, active: Sequence[QuarantineEntry]) -> tuple[Run, ...]:
    """The runs of tasks that are touched by an entry, whole: what a report shows beside the verdict."""
    touched = {entry.task for entry in active}
    return tuple(run for run in arm.runs if run.task in touched)


def _counted(runs: Iterable[Run], whole: Collection[str], checks: Mapping[str, Collection[str]]) -> tuple[Run, ...]:
    kept = (_without_checks(run, checks.get(run.task, ())) for run in runs if run.task not in whole)
    return tuple(run for run in kept if run is not None)


def _without_checks(run: Run, names: Collection[str]) -> Run | None:
    gone = [name for name in names if name in run.checks]
    if not gone:
        return run
    left = {name: passed for name, passed in run.checks.items() if name not in names}
    total = run.total - len(gone)
    if total <= 0 and run.judge is None and run.judge_missing is None:
        return None  # nothing grades it any more, and an empty task would count as perfect
    passed = run.passed - sum(run.checks[name] for name in gone)
    return dataclasses.replace(run, passed=passed, total=total, checks=left)
