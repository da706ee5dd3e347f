"""Quarantine: tasks and checks that count neither for nor against for a while (docs/scoring.md §3.6). Pure.

An entry names a task, or one check of it, with `reason`, `owner` and `until`, a date at most 30 days ahead and the last
day on which it holds. What is quarantined still runs and is still shown; it takes no part in sums, regressions or
evidence. An entry that is expired, too long, unknown or lacks a field gates again, and a line says so. At most 20% of
the tasks may be touched; more is no verdict.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, cast

from steelyard.gate.evidence.policy import QuarantineEntry
from steelyard.gate.model import Arm, NoVerdict, Run

MOST_DAYS = 30
"""How far ahead `until` may lie: a quarantine is a promise to mend something soon."""

MOST_SHARE = 0.2
"""Share of the tasks that may be quarantined, in whole or in part."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
"""Python reads other forms as well, such as 2026-W05-6, which few people do."""

REQUIRED = ("task", "reason", "owner", "until")
"""Fields without which an entry does not hold."""


class Entries(NamedTuple):
    """Complete entries, and a line about each of the others."""

    entries: tuple[QuarantineEntry, ...]
    notes: tuple[str, ...]


class Quarantined(NamedTuple):
    """Both sides without what is quarantined."""

    baseline: Arm
    candidate: Arm
    active: tuple[QuarantineEntry, ...]
    notes: tuple[str, ...]
    """A line about each entry that gates again."""


def complete_entries(written: Iterable[Mapping[str, Any]]) -> Entries:
    """The entries of a settings file; one that lacks a field, or has a date that is none, becomes a line."""
    entries: list[QuarantineEntry] = []
    notes: list[str] = []
    for number, fields in enumerate(written, 1):
        values = {name: str(fields.get(name) or "").strip() for name in (*REQUIRED, "check")}
        name = "/".join(part for part in (values["task"], values["check"]) if part) or f"entry {number}"
        missing = [field for field in REQUIRED if not values[field]]
        until = _day(values["until"])
        if missing:
            notes.append(_again(name, f"it has no {' and no '.join(missing)}"))
        elif until is None:
            notes.append(_again(name, f"until is {values['until']!r}, not a date such as 2026-01-31"))
        else:
            kept = {field: values[field] for field in ("task", "reason", "owner")}
            entries.append(QuarantineEntry(**kept, until=until, check=values["check"] or None))
    return Entries(tuple(entries), tuple(notes))


def registered_entries(registration: Mapping[str, Any] | None) -> tuple[QuarantineEntry, ...] | None:
    """The entries that were registered with a run before it began; None if nothing was registered."""
    written = None if registration is None else registration.get("quarantine")
    if not isinstance(written, list):
        return None
    mappings = (cast(Mapping[str, Any], entry) for entry in cast(list[Any], written) if isinstance(entry, dict))
    return complete_entries(mappings).entries


def active_entries(entries: Iterable[QuarantineEntry], tasks: Mapping[str, Collection[str]], today: date) -> Entries:
    """The entries that hold today for these tasks (task → names of its checks), and a line about each of the others."""
    active: list[QuarantineEntry] = []
    notes: list[str] = []
    for entry in dict.fromkeys(entries):
        doubt = _doubt(entry, tasks, today)
        if doubt is None:
            active.append(entry)
        else:
            notes.append(_again(entry.name, doubt))
    return Entries(tuple(active), tuple(notes))


def set_aside(
    baseline: Arm, candidate: Arm, entries: Sequence[QuarantineEntry], today: date
) -> Quarantined | NoVerdict:
    """Both sides without the runs, or the checks in them, that are quarantined today."""
    if not entries:
        return Quarantined(baseline, candidate, (), ())
    tasks = checks_by_task(baseline)
    active, notes = active_entries(entries, tasks, today)
    touched = {entry.task for entry in active}
    if len(touched) > MOST_SHARE * len(tasks):
        reason = f"{len(touched)} of {len(tasks)} tasks are quarantined, and at most {MOST_SHARE:.0%} may be"
        return NoVerdict((reason,), ("mend or remove some of them: steelyard gate quarantine list",))
    return Quarantined(without(baseline, active), without(candidate, active), active, notes)


def checks_by_task(arm: Arm) -> dict[str, set[str]]:
    """Task → names of its checks in the runs of one side; empty where the runs do not name them."""
    tasks: dict[str, set[str]] = {gap.task: set() for gap in arm.gaps}
    for run in arm.runs:
        tasks.setdefault(run.task, set()).update(run.checks)
    return tasks


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


def _doubt(entry: QuarantineEntry, tasks: Mapping[str, Collection[str]], today: date) -> str | None:
    """Why an entry does not hold; None if it does."""
    days = (entry.until - today).days
    if days < 0:
        return f"it expired on {entry.until}"
    if days > MOST_DAYS:
        return f"until {entry.until} is more than {MOST_DAYS} days ahead"
    if entry.task not in tasks:
        return f"there is no task {entry.task!r}"
    if entry.check is not None and entry.check not in tasks[entry.task]:
        known = "has no such check" if tasks[entry.task] else "does not name its checks in these runs"
        return f"the task {known}"
    return None


def _again(name: str, why: str) -> str:
    return f"quarantine of {name} does not hold, it counts again: {why}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None
