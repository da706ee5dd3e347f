"""`steelyard gate quarantine` and `waive` as functions: what does not count for a while, and accepted losses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from steelyard.api.spec import argument, named, option, rare, spec, takes
from steelyard.api.values import day, file
from steelyard.errors import InputError
from steelyard.rows import Table

if TYPE_CHECKING:
    from steelyard.gate.evidence.policy import AcceptedLoss, QuarantineEntry
    from steelyard.gate.quarantine.listing import ListedEntry


@named
class Exemption:
    """An entry of the settings file; comments and order of the file are kept."""

    check: str | None = option("One check of the task [default: the whole task].", default=None)
    settings: Path = rare(
        "Settings file; created if need be.", "--settings", "--config", default=Path("steelyard.yaml"), converter=file
    )


@spec
class GateQuarantine(Exemption):
    """A task to set aside, or the whole quarantine."""

    task: str | None = argument("The task.", "[TASK]", default=None)
    _: KW_ONLY
    reason: str | None = option("Why it does not count for now.", default=None)
    owner: str | None = option("Who is going to fix it.", default=None)
    until: date | None = option("The last day, at most 30 days ahead.", "DATE", default=None, converter=day)
    days: int = option("Days ahead, without --until.", default=14, least=0, most=30)
    end: bool = option("End the quarantine of TASK now; without TASK, remove what is over.", default=False)


@takes(GateQuarantine)
def quarantine(spec: GateQuarantine) -> QuarantineEntry | Table[ListedEntry] | tuple[str, ...]:
    """Set a task or a check aside, end that, or list what is set aside.

    Returns:
        With a task the new entry; with `end` the names of the entries that were removed; else every entry as it is
        written, whether it holds today, and if not, why.
    """
    from steelyard.gate.evidence.policy import QuarantineEntry
    from steelyard.gate.quarantine.listing import add, entries_today, expire

    # UTC, so that an entry expires at the same moment on every machine.
    today = datetime.now(UTC).date()
    if spec.end:
        return expire(spec.settings, today, spec.task, spec.check)
    if spec.task is None:
        return Table(entries_today(spec.settings, today))
    if not all(words := [(text or "").strip() for text in (spec.task, spec.reason, spec.owner)]):
        raise InputError("a quarantine needs a task, a reason and an owner", cure="--reason TEXT --owner NAME")
    until = spec.until or today + timedelta(spec.days)
    entry = QuarantineEntry(*words, until=until, check=(spec.check or "").strip() or None)
    add(spec.settings, entry, today)
    return entry


@spec
class GateWaive(Exemption):
    """A loss to accept."""

    task: str = argument("The task.", "TASK")
    _: KW_ONLY
    reason: str = option("Why the loss is worth it.")
    until: date = option("The last day on which it holds.", "DATE", converter=cast(Callable[[str | date], date], day))
    owner: str | None = option("Who accepts it [default: git's user.name].", default=None)


@takes(GateWaive)
def waive(spec: GateWaive) -> AcceptedLoss:
    """Accept the loss of a task, or of one check of it.

    Returns: The entry.
    """
    from steelyard.gate.evidence.policy import AcceptedLoss
    from steelyard.gate.quarantine.entries import ACCEPTED
    from steelyard.gate.quarantine.listing import add
    from steelyard.process import run

    owner = run(["git", "config", "user.name"], timeout_s=10.0).stdout if spec.owner is None else spec.owner
    if not all(words := [text.strip() for text in (spec.task, spec.reason, owner)]):
        raise InputError("an accepted loss needs a task, a reason and an owner", cure="--owner NAME")
    entry = AcceptedLoss(*words, until=spec.until, check=(spec.check or "").strip() or None)
    add(spec.settings, entry, datetime.now(UTC).date(), ACCEPTED)
    return entry
