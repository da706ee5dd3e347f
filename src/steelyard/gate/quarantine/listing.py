"""The entries of a settings file with their state: a listing for `gate quarantine`, and the edits behind it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Entry
from steelyard.gate.quarantine.entries import QUARANTINE, Kind, active_entries, complete_entries, why
from steelyard.gate.quarantine.file import add_entry, listed, remove_entries
from steelyard.gate.settings import FILE, EntrySettings, load_settings, present
from steelyard.gate.task_folder import read_suite
from steelyard.report.document import Block, Cell, Document, Paragraph, table
from steelyard.report.numbers import UNKNOWN, things


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """One entry of a settings file, as it is written."""

    task: str | None
    check: str | None
    reason: str | None
    owner: str | None
    until: str | None
    active: bool
    """Whether it holds today."""
    problem: str | None
    """Why it does not."""


def entries_today(path: Path, today: date) -> tuple[ListedEntry, ...]:
    """Every entry of a settings file, and whether it holds today."""
    # Only the usual file may be missing: one that somebody named must be there.
    if not present(path) and path == Path(FILE):
        return ()
    written = listed(path, QUARANTINE)
    tasks = _tasks(path)
    return tuple(_state(entry, _known(written, tasks), today) for entry in written)


def add(path: Path, entry: Entry, today: date, kind: Kind[Any] = QUARANTINE) -> None:
    """Add an entry that would hold today; anything else is an `InputError`."""
    if entry.until < today:
        raise InputError(f"{entry.until} is in the past")
    if kind.most_days is not None and (entry.until - today).days > kind.most_days:
        most = kind.most_days
        raise InputError(f"{entry.until} is more than {most} days ahead", cure=f"--days, at most {most}")
    tasks = _tasks(path) if present(path) else None
    if tasks is not None:
        notes = active_entries([entry], tasks, today, kind).notes
        if notes:
            raise InputError(why(notes[0]), cure="steelyard gate check TASKS lists them")
    add_entry(path, entry, kind)


def expire(path: Path, today: date, task: str | None = None, check: str | None = None) -> tuple[str, ...]:
    """Remove the entries of a task (or of one check of it), or without a task all that expired; their names."""
    entries = entries_today(path, today)
    gone = [
        number
        for number, entry in enumerate(entries)
        if (_expired(entry, today) if task is None else entry.task == task and check in (None, entry.check))
    ]
    if not gone and task is not None:
        raise InputError(f"{path} has no entry for {task if check is None else f'{task}/{check}'}")
    if gone:
        remove_entries(path, gone, QUARANTINE)
    return tuple(_name(entries[number]) for number in gone)


def listing(entries: Sequence[ListedEntry], path: Path) -> Document:
    """The entries as a document."""
    blocks: list[Block] = [Paragraph(f"{path} quarantines nothing.")]
    if entries:
        rows = [
            (
                _name(entry),
                entry.until or UNKNOWN,
                entry.owner or UNKNOWN,
                entry.reason or UNKNOWN,
                Cell("holds", "good") if entry.active else Cell(f"counts again: {entry.problem}", "warn"),
            )
            for entry in entries
        ]
        blocks = [table(("Quarantined", "Until", "Owner", "Reason", "State"), rows)]
    return Document(f"{things(len(entries), 'entry', 'entries')} in quarantine", tuple(blocks))


def listing_data(entries: Sequence[ListedEntry]) -> dict[str, Any]:
    """The entries as JSON."""
    return {"schema_version": 1, "quarantine": [asdict(entry) for entry in entries]}


def _state(entry: EntrySettings, tasks: Mapping[str, Collection[str]], today: date) -> ListedEntry:
    complete, notes = complete_entries([entry.model_dump()], QUARANTINE)
    if complete:
        complete, notes = active_entries(complete, tasks, today, QUARANTINE)
    problem = why(notes[0]) if notes else None
    return ListedEntry(**entry.model_dump(), active=problem is None, problem=problem)


def _known(written: Sequence[EntrySettings], tasks: Mapping[str, set[str]] | None) -> Mapping[str, set[str]]:
    """Task → checks; where the tasks are not at hand, every name that is written counts as known."""
    if tasks is not None:
        return tasks
    known: dict[str, set[str]] = {}
    for entry in written:
        known.setdefault(entry.task or "", set()).add(entry.check or "")
    return known


def _tasks(path: Path) -> dict[str, set[str]] | None:
    folder = load_settings(path).tasks
    if folder is None or not Path(folder).is_dir():
        return None
    return {task.id: set(task.checks) for task in read_suite(Path(folder)).tasks}


def _expired(entry: ListedEntry, today: date) -> bool:
    complete = complete_entries([asdict(entry)], QUARANTINE).entries
    return bool(complete) and complete[0].until < today


def _name(entry: ListedEntry) -> str:
    return "/".join(part for part in (entry.task, entry.check) if part) or UNKNOWN
