"""`steelyard gate quarantine`, `gate noise` and `gate plan` as functions: what a suite of tasks can tell."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.gate.evidence.policy import QuarantineEntry
    from steelyard.gate.quarantine.listing import ListedEntry


def quarantine_add(
    task: str,
    *,
    reason: str,
    owner: str,
    check: str | None = None,
    until: date | None = None,
    days: int = 14,
    settings: str | Path = "steelyard.yaml",
) -> QuarantineEntry:
    """Quarantine a task, or one check of it, in the settings file; comments and order of the file are kept.

    Args:
        task: The task.
        reason: Why it does not count for now.
        owner: Who is going to fix it.
        check: One check of the task; the whole task if absent.
        until: The last day on which the entry holds, at most 30 days ahead.
        days: How many days ahead that is, if `until` is absent.
        settings: The settings file; created if it does not exist.

    Returns:
        The entry.

    Raises:
        InputError: The task is unknown or already quarantined, the date is out of range, or the file cannot be edited.
    """
    from steelyard.errors import InputError
    from steelyard.gate.evidence.policy import QuarantineEntry
    from steelyard.gate.quarantine.listing import add

    today = datetime.now(UTC).date()
    words = [text.strip() for text in (task, reason, owner)]
    if not all(words):
        raise InputError("a quarantine needs a task, a reason and an owner")
    name = check.strip() if check is not None else None
    entry = QuarantineEntry(*words, until=until or today + timedelta(days), check=name or None)
    add(Path(settings), entry, today)
    return entry


def quarantine_list(settings: str | Path = "steelyard.yaml") -> tuple[ListedEntry, ...]:
    """List the quarantine of a settings file.

    Args:
        settings: The settings file.

    Returns:
        Every entry as it is written, whether it holds today, and if not, why.

    Raises:
        InputError: The file cannot be read.
    """
    from steelyard.gate.quarantine.listing import entries_today

    return entries_today(Path(settings), datetime.now(UTC).date())


def quarantine_expire(
    task: str | None = None, *, check: str | None = None, settings: str | Path = "steelyard.yaml"
) -> tuple[str, ...]:
    """End quarantines: those of a task, or all whose last day is over.

    Args:
        task: The task; without it every expired entry is removed.
        check: One check of the task; all its entries if absent.
        settings: The settings file.

    Returns:
        The names of the entries that were removed.

    Raises:
        InputError: There is no such entry, or the file cannot be edited.
    """
    from steelyard.gate.quarantine.listing import expire

    return expire(Path(settings), datetime.now(UTC).date(), task, check)
