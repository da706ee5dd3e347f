"""Entries in `steelyard.yaml`: which count for a comparison, and edits that keep everything else.

Entries come from the baseline's side if that is a git ref: a change cannot quarantine, or accept, what it breaks. An
edit inserts or removes lines and keeps comments and order. The result is read back: unless it is exactly the old file
with that one change, the edit is refused and nothing is written.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Generic, NamedTuple, cast

from steelyard.artifact import read_text, write_text
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Entry
from steelyard.gate.quarantine.edit import inserted, removed
from steelyard.gate.quarantine.entries import E, Entries, Kind, complete_entries
from steelyard.gate.settings import FILE, EntrySettings, SettingsFile, present
from steelyard.git import settings_text
from steelyard.yamlfile import SIZE_LIMIT, parse

GIT = "git:"


class Chosen(NamedTuple, Generic[E]):
    """The entries that count."""

    entries: tuple[E, ...]
    notes: tuple[str, ...] = ()
    """A line about each that is incomplete."""
    differing: tuple[str, ...] = ()
    """A line about each that only the settings here have."""


def read_entries(
    kind: Kind[E], settings: Path | None, *, baseline: str | None = None, repo: Path | None = None
) -> Chosen[E]:
    """The entries that count: those of the settings file, or, if the baseline is a git ref, those of the file there."""
    path = settings or Path(FILE)
    here = _entries(kind, read_text(path, SIZE_LIMIT), str(path)) if present(path) else Entries((), ())
    if baseline is None or not baseline.startswith(GIT):
        return Chosen(*here)
    ref = baseline.removeprefix(GIT).partition(":")[0]
    text = settings_text(path, ref, repo or Path())
    there = Entries((), ()) if text is None else _entries(kind, text, f"{ref}:{path}")
    ignored = [entry.name for entry in here.entries if entry not in there.entries]
    lines = (f"{kind.noun} of {name} is not part of {ref!r}, the baseline, so it does not hold" for name in ignored)
    return Chosen(*there, tuple(lines))


def _entries(kind: Kind[E], text: str, source: str) -> Entries[E]:
    """The entries in a settings file; its other keys may be those of another version."""
    if not text.strip():
        return Entries((), ())
    document = parse(text, source)
    written = document.at(("gate", kind.key))
    # `at` gives the nearest entry above where a key is missing.
    if document.at(("gate",)) is document or written is document.at(("gate",)):
        return Entries((), ())
    entries = [entry.validated(EntrySettings) for entry in written.items(kind.key)]
    return complete_entries((entry.model_dump() for entry in entries), kind)


def listed(path: Path, kind: Kind[Any]) -> list[EntrySettings]:
    """The entries as they are written in a settings file, complete or not."""
    return list(getattr(parse(read_text(path, SIZE_LIMIT), str(path)).validated(SettingsFile).gate, kind.key))


def add_entry(path: Path, entry: Entry, kind: Kind[Any]) -> None:
    """Add an entry to the settings file, which is created if it does not exist."""
    text = _text(path) if present(path) else ""
    fields = entry.as_data()
    written = {name: fields[name] for name in EntrySettings.model_fields if fields[name] is not None}
    old = _items(_data(text, path), kind.key)
    if any((other.get("task"), other.get("check")) == (entry.task, entry.check) for other in old):
        raise InputError(f"{path} already has an entry for {entry.name}", cure=kind.cure)
    _replace(path, kind.key, text, inserted(text, kind.key, written), [*old, written])


def remove_entries(path: Path, numbers: Collection[int], kind: Kind[Any]) -> None:
    """Remove entries by their place in the list; 0 is the first."""
    text = _text(path)
    left = [fields for number, fields in enumerate(_items(_data(text, path), kind.key)) if number not in numbers]
    _replace(path, kind.key, text, removed(text, kind.key, numbers), left)


def _text(path: Path) -> str:
    """The text with its own line ends, so that an edit keeps them."""
    read_text(path, SIZE_LIMIT)  # the same errors as everywhere
    return path.read_bytes().decode("utf-8")


def _data(text: str, path: Path) -> dict[str, Any]:
    # The text keeps a byte order mark, so that an edit does; it is no part of the data.
    plain = text.removeprefix("\ufeff")
    if not plain.strip():
        return {}
    document = parse(plain, str(path))
    document.validated(SettingsFile)
    return document.data()


def _items(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return list(_gate(data).get(key) or [])


def _gate(data: dict[str, Any]) -> dict[str, Any]:
    return cast(dict[str, Any], data.get("gate") or {})


def _replace(path: Path, key: str, before: str, after: str | None, entries: list[dict[str, Any]]) -> None:
    """Write `after`, if it is the old file with `entries` as its list `key` and nothing else changed."""
    expected = _data(before, path)
    gate = {**_gate(expected), key: entries}
    try:
        same = after is not None and _data(after, path) == {**expected, "gate": gate}
    except InputError:
        same = False
    if after is None or not same:
        raise InputError(f"the layout of {path} cannot be edited without damage", cure="edit the list by hand")
    write_text(path, after)
