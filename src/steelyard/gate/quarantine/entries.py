"""Entries of the settings that hold for a while: quarantine (§3.6) and accepted losses (§3.5). Pure.

An entry names a task, or one check of it, with `reason`, `owner` and `until`, the last day on which it holds; a
quarantine at most 30 days ahead. One that is expired, too long, unknown or lacks a field does not hold, and a line says
so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, NamedTuple, TypeVar, cast

from steelyard.gate.evidence.policy import AcceptedLoss, Entry, QuarantineEntry
from steelyard.gate.model import Arm

E = TypeVar("E", bound=Entry)

MOST_DAYS = 30
"""How far ahead `until` of a quarantine may lie: a quarantine is a promise to mend something soon."""

REQUIRED = ("task", "reason", "owner", "until")
"""Fields without which an entry does not hold."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[E]):
    """One list of entries in the settings."""

    key: str
    """Its name in `gate` of the settings file, and in a registration."""
    noun: str
    """What one of its entries is, in a sentence."""
    entry: type[E]
    then: str
    """What happens to a task whose entry does not hold."""
    most_days: int | None = None
    """How far ahead `until` may lie; None for any day."""
    cure: str = ""
    """The command that removes an entry."""


QUARANTINE = Kind(
    "quarantine", "quarantine", QuarantineEntry, "it counts again", MOST_DAYS, "steelyard gate quarantine --end"
)
ACCEPTED = Kind("accepted_losses", "acceptance", AcceptedLoss, "a loss there counts", cure="edit the file")


class Entries(NamedTuple, Generic[E]):
    """Complete entries, and a line about each of the others."""

    entries: tuple[E, ...]
    notes: tuple[str, ...]


def complete_entries(written: Iterable[Mapping[str, Any]], kind: Kind[E]) -> Entries[E]:
    """The entries of a settings file; one that lacks a field, or has a date that is none, becomes a line."""
    entries: list[E] = []
    notes: list[str] = []
    for number, fields in enumerate(written, 1):
        values = {name: str(fields.get(name) or "").strip() for name in (*REQUIRED, "check")}
        name = "/".join(part for part in (values["task"], values["check"]) if part) or f"entry {number}"
        missing = [field for field in REQUIRED if not values[field]]
        until = _day(values["until"])
        if missing:
            notes.append(_void(kind, name, f"it has no {' and no '.join(missing)}"))
        elif until is None:
            notes.append(_void(kind, name, f"until is {values['until']!r}, not a date such as 2026-01-31"))
        else:
            kept = {field: values[field] for field in ("task", "reason", "owner")}
            entries.append(kind.entry(**kept, until=until, check=values["check"] or None))
    return Entries(tuple(entries), tuple(notes))


def registered_entries(registration: Mapping[str, Any] | None, kind: Kind[E]) -> tuple[E, ...] | None:
    """The entries that were registered with a run before it began; None if nothing was registered."""
    written = None if registration is None else registration.get(kind.key)
    if not isinstance(written, list):
        return None
    mappings = (cast(Mapping[str, Any], entry) for entry in cast(list[Any], written) if isinstance(entry, dict))
    return complete_entries(mappings, kind).entries


def active_entries(
    entries: Iterable[E], tasks: Mapping[str, Collection[str]], today: date, kind: Kind[E]
) -> Entries[E]:
    """The entries that hold today for these tasks (task → names of its checks), and a line about each of the others."""
    active: list[E] = []
    notes: list[str] = []
    for entry in dict.fromkeys(entries):
        doubt = _doubt(entry, tasks, today, kind)
        if doubt is None:
            active.append(entry)
        else:
            notes.append(_void(kind, entry.name, doubt))
    return Entries(tuple(active), tuple(notes))


def why(note: str) -> str:
    """The reason at the end of a line about an entry that does not hold."""
    return note.partition(": ")[2]


def checks_by_task(arm: Arm) -> dict[str, set[str]]:
    """Task → names of its checks in the runs of one side; empty where the runs do not name them."""
    tasks: dict[str, set[str]] = {gap.task: set() for gap in arm.gaps}
    for run in arm.runs:
        tasks.setdefault(run.task, set()).update(run.checks)
    return tasks


def _doubt(entry: Entry, tasks: Mapping[str, Collection[str]], today: date, kind: Kind[Any]) -> str | None:
    """Why an entry does not hold; None if it does."""
    days = (entry.until - today).days
    if days < 0:
        return f"it expired on {entry.until}"
    if kind.most_days is not None and days > kind.most_days:
        return f"until {entry.until} is more than {kind.most_days} days ahead"
    if entry.task not in tasks:
        return f"there is no task {entry.task!r}"
    if entry.check is not None and entry.check not in tasks[entry.task]:
        known = "has no such check" if tasks[entry.task] else "does not name its checks in these runs"
        return f"the task {known}"
    return None


def _void(kind: Kind[Any], name: str, reason: str) -> str:
    return f"{kind.noun} of {name} does not hold, {kind.then}: {reason}"


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None  # `20260131` and weeks are dates, but not as people write them
