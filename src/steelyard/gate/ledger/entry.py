"""One entry of a ledger: a small JSON file that is written once and never changed.

Its name begins with the comparison it belongs to, so that a ledger of many projects is searched by name alone. Each
entry names the attempts that were known when it was written: one that is removed later is missed as long as any entry
written after it remains.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import Field

from steelyard.errors import InputError
from steelyard.logs.identity import sha256_of
from steelyard.yamlfile import Strict

Kind = Literal["attempt", "begun", "void", "round", "look", "moved", "proposal"]
"""What happened: an attempt began; a round began, failed before there was a log, or ended; somebody looked; the
baseline moved meanwhile (`gate watch`); a proposal was decided (`gate accept`)."""

VERSION = 1
"""1: first shape."""


class LedgerEntry(Strict):
    """Something that happened in a comparison."""

    schema_version: Literal[1] = VERSION
    kind: Kind
    comparison: str
    """Hash of what is compared (`comparison_key`)."""
    attempt: str
    """The attempt that it belongs to."""
    at: str
    """When, ISO 8601, UTC."""
    attempts: tuple[str, ...] = ()
    """The attempts that were known then."""
    facts: dict[str, Any] = Field(default_factory=dict)
    """What belongs to its kind: the candidate, a round and its logs, a verdict."""

    @property
    def name(self) -> str:
        """The file it is kept in: no two entries have the same."""
        # With the hash of the content, so that an altered entry no longer fits its name.
        stamp = self.at.replace("-", "").replace(":", "").replace("+0000", "Z")
        return f"{self.comparison[:20]}-{stamp}-{self.kind}-{sha256_of(self.model_dump(mode='json'))[:16]}.json"


def comparison_key(baseline: str, suite: str, agent: str | None, model: str | None, branch: str) -> str:
    """What makes two candidates attempts at the same thing. Settings, seed and judge are no part of it: changing one of
    them is no fresh start."""
    return sha256_of({"baseline": baseline, "suite": suite, "agent": agent, "model": model, "branch": branch})


def new_entry(
    kind: Kind, comparison: str, attempt: str, facts: dict[str, Any], known: Iterable[str] = ()
) -> LedgerEntry:
    """An entry of this moment."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    # Two entries of one second must differ in name.
    facts = {**facts, "nonce": secrets.token_hex(4)}
    return LedgerEntry(
        kind=kind, comparison=comparison, attempt=attempt, at=now, attempts=tuple(sorted({*known})), facts=facts
    )


def parse(name: str, data: bytes) -> LedgerEntry:
    """The entry in a file; one that was damaged or altered is an error: losing an attempt would pay."""
    try:
        entry = LedgerEntry.model_validate(json.loads(data))
    except ValueError as error:
        raise InputError(
            f"the ledger's entry {name} cannot be read", cure="restore it, or use another --ledger"
        ) from error
    if entry.name != name:
        raise InputError(f"the ledger's entry {name} was altered", cure="restore it, or use another --ledger")
    return entry


def attempts_in(entries: Sequence[LedgerEntry]) -> set[str]:
    """Every attempt that the entries know of, also those whose own entries are gone."""
    return {name for entry in entries for name in (entry.attempt, *entry.attempts)}
