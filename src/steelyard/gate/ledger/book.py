"""What a gate run writes into its ledger, and what the ledger says about the logs that are there.

The number of an attempt is one more than the other attempts that are known once its own entry is written. A round is
entered when it begins and when it ends, or as void if it failed before there was a log. A round that began and left no
log, or one whose log is not among those of the attempt, was removed: such a comparison is exploratory.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import TypeAdapter

from steelyard.errors import LogError, boundary
from steelyard.gate.ledger.chain import digest
from steelyard.gate.ledger.confirmation import CountedAttempt
from steelyard.gate.ledger.entry import LedgerEntry, attempts_in, new_entry, parse
from steelyard.gate.ledger.place import Place, beside, place_of
from steelyard.gate.metadata import position_of
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from steelyard.location import Location

KEY = "attempt"
"""Key of a stamp's `extra` that says which attempt a log belongs to."""


_RECORDED = TypeAdapter(CountedAttempt)


def recorded_attempt(row: LogRow) -> CountedAttempt | None:
    """The attempt that a log belongs to; None for logs that no ledger counts."""
    value = row.stamp.extra.get(KEY) if row.stamp is not None else None
    if not value:
        return None
    with boundary(LogError, f"{row.path}: its stamp names an attempt that is none"):
        return _RECORDED.validate_python(value)


def confirms(row: LogRow) -> bool:
    """Whether a log is one of the fresh rounds that judge an improvement again."""
    attempt = recorded_attempt(row)
    return attempt is not None and attempt.confirms


@dataclass(slots=True)
class Book:
    """A ledger, opened for one comparison. Mutable: it remembers what it has read and written."""

    place: Place
    where: str
    comparison: str
    entries: list[LedgerEntry] = field(default_factory=list[LedgerEntry])

    def refresh(self) -> None:
        """Read what others have written."""
        known = {entry.name for entry in self.entries}
        fresh = [name for name in self.place.names(self.comparison[:20]) if name not in known]
        found = [parse(name, data) for name, data in self.place.read(fresh).items()]
        self.entries += [entry for entry in found if entry.comparison == self.comparison]

    def write(self, kind: Any, attempt: str, facts: dict[str, Any]) -> None:
        """Add an entry."""
        known = attempts_in([entry for entry in self.entries if entry.kind == "attempt"])
        entry = new_entry(kind, self.comparison, attempt, facts, known)
        self.place.add(entry.name, entry.model_dump_json(indent=1).encode())
        self.entries.append(entry)

    def enter(self, facts: dict[str, Any]) -> CountedAttempt:
        """Begin an attempt."""
        id = secrets.token_hex(8)
        self.refresh()
        self.write("attempt", id, facts)
        # Read again after writing: of two attempts that start together at least one must see the other.
        self.refresh()
        return CountedAttempt(id, self.attempts, self.comparison, self.where)

    @property
    def attempts(self) -> int:
        """How many attempts are known."""
        return len(attempts_in(self.entries) - self._void())

    def _void(self) -> set[str]:
        """The attempts of which nothing was ever seen: whatever they began failed before there was a log."""
        begun = Counter(entry.attempt for entry in self.entries if entry.kind == "begun")
        void = Counter(entry.attempt for entry in self.entries if entry.kind == "void")
        return {attempt for attempt, number in void.items() if number == begun[attempt]}

    def of(self, attempt: str, kind: str) -> list[LedgerEntry]:
        """The entries of an attempt that are of one kind."""
        return [entry for entry in self.entries if (entry.attempt, entry.kind) == (attempt, kind)]

    def moves(self, attempt: str) -> tuple[str, ...]:
        """What `gate watch` said while an attempt was open."""
        return tuple(str(entry.facts.get("line")) for entry in self.of(attempt, "moved"))

    def looks(self, attempt: str) -> int:
        """How often somebody looked at the rounds of an attempt."""
        return len(self.of(attempt, "look"))

    def departures(self, attempt: str, rows: Sequence[LogRow], *, confirms: bool) -> tuple[str, ...]:
        """How the logs of an attempt, or of its confirmation, differ from what the ledger says of them, in words."""
        own = [row for row in rows if (made := recorded_attempt(row)) is not None and made.id == attempt]
        if not self.of(attempt, "attempt"):
            return (f"the ledger {self.where} knows nothing of this attempt",) if own else ()
        held = {digest(row) for row in own}
        # The logs of both sides have the same place and count once, as the round began once.
        left = Counter({place_in(row): 1 for row in own})
        left.update(entry.facts["place"] for entry in self.of(attempt, "void"))
        lost: list[str] = []
        for entry in self.of(attempt, "round"):
            if entry.facts.get("confirms") == confirms and not logs_of(entry) <= held:
                lost.append(_when(entry, "was run", "its log is gone"))
        for entry in self.of(attempt, "begun"):
            place = entry.facts["place"]
            left[place] -= 1
            if entry.facts.get("confirms") == confirms and left[place] < 0:
                lost.append(_when(entry, "began", "left no log"))
        return tuple(dict.fromkeys(lost))


def logs_of(entry: LedgerEntry) -> set[str]:
    """The digests of the logs in which a round ended."""
    return {*cast(Sequence[str], entry.facts.get("logs") or ())}


def _when(entry: LedgerEntry, what: str, then: str) -> str:
    return f"round {entry.facts.get('round')} {what} before, on {entry.at[:16].replace('T', ' ')}, and {then}"


def place_in(row: LogRow) -> str:
    """Which part of an attempt an evaluation is: round, extra round, start, and whether it confirms."""
    position = position_of(row)
    return place_name(position.round, position.watch, position.start, confirms(row))


def place_name(round: int, watch: int, start: int, confirms: bool) -> str:
    """The same from its parts."""
    return f"{'confirmation ' if confirms else ''}{round}.{watch}.{start}"


def open_book(where: str | Location | None, logs: Location, key: str, repo: Path | None = None) -> Book:
    """The ledger at `where`, or beside the logs, for one comparison."""
    place = beside(logs) if where is None else where
    book = Book(place_of(place, repo), str(place), key)
    book.refresh()
    return book


def branch_of(repo: Path | None) -> str:
    """The branch that is worked on: of a pull request, or checked out; empty if there is none."""
    # In a pull request's job git has a detached HEAD and knows no branch.
    if named := os.environ.get("GITHUB_HEAD_REF"):
        return named
    from steelyard.git import git

    done = git(repo or Path("."), "symbolic-ref", "--quiet", "--short", "HEAD", check=False)
    return done.stdout.strip() if done.ok else ""
