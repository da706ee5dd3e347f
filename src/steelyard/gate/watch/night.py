"""One night: run a few tasks of the baseline, keep them in the store, test all nights since the record."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random
from typing import Any

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.gate.ledger.book import Book
from steelyard.gate.ledger.entry import LedgerEntry, parse
from steelyard.gate.ledger.place import beside, place_of
from steelyard.gate.read.arm import identity, read_rows
from steelyard.gate.run.plan import RunSpec, load_arms
from steelyard.gate.run.stored import control_round, dated, is_control, on_record, since_moved
from steelyard.gate.store.arms import Store, suite_key
from steelyard.gate.store.drift import by_task
from steelyard.gate.tasks import fingerprint
from steelyard.gate.watch.movement import Movement, movement
from steelyard.report.numbers import things
from steelyard.rows import LogRow

FINAL = frozenset({"improved", "neutral", "regressed", "mixed"})
"""Verdicts that close a comparison."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What a night found."""

    baseline: str
    movement: Movement
    alpha: float
    since: str
    """The day of the newest run on record before the nights."""
    open: tuple[str, ...] = ()
    """Comparisons with this baseline that are not decided, which were marked: where their logs are."""

    @property
    def moved(self) -> bool:
        """Whether the baseline has moved."""
        return self.movement.e_value >= 1 / self.alpha

    @property
    def line(self) -> str:
        """The answer in one line."""
        found = self.movement
        numbers = (
            f"{things(found.runs, 'run')} in {things(found.nights, 'night')}, "
            f"e {found.e_value:.3g} of {1 / self.alpha:.4g}"
        )
        if self.moved:
            return (
                f"the baseline moved by {found.shift:+.3f} since {self.since}; your change is not the cause ({numbers})"
            )
        spread = f"{found.shift:+.3f} ± {1.96 * found.error:.3f} per task"
        return f"the baseline holds: {spread} since {self.since} ({numbers})"


def watch(spec: RunSpec, tasks: int, alpha: float = 0.05) -> Watched:
    """Run `tasks` tasks of the baseline once, and say whether it has moved since it was recorded."""
    # It is always the one on record that is watched, so `stored:` adds nothing.
    spec = replace(spec, baseline=(spec.baseline or "").removeprefix("stored:") or None)
    if spec.store is None or spec.baseline is None:
        raise InputError("gate watch needs a baseline and a store", cure="--baseline CONFIG --store PLACE")
    # The baseline stands in as the candidate, because a side that is on record is not loaded.
    arm = load_arms(replace(spec, candidate=spec.baseline, baseline=None, baseline_log="stored"))["candidate"]
    store, suite = Store(spec.store), suite_key(identity(fingerprint(arm)))
    record = on_record(store, suite, spec.baseline, spec, "")
    rows = since_moved(read_rows(record.logs, "the store"), store.folder(suite, arm.config.sha))
    known = [row for row in rows if not is_control(row)]
    if not known:  # the record moved: the nights that showed it are the record now
        known, rows = rows[: max(1, len(rows) // 2)], rows[max(1, len(rows) // 2) :]
    names = [task.id for task in arm.suite.tasks]
    chosen = Random(secrets.randbits(64)).sample(names, min(tasks, len(names)))
    fresh = control_round(spec, replace(arm, name="baseline"), chosen)
    store.keep(fresh)
    nights = [*(row for row in rows if row not in known), *fresh]
    found = movement(by_task(dated(known)), [scores for _, scores in dated(nights)])
    if found is None:
        raise InputError("none of the tasks that ran tonight is on record", cure="gate run --store, with all tasks")
    day = max(at for at, _ in dated(known)).date().isoformat()
    watched = Watched(spec.baseline, found, alpha, day)
    if not watched.moved:
        return watched
    _note(store.folder(suite, arm.config.sha), watched, nights)
    return replace(watched, open=mark_open(spec, arm.config.sha, arm.suite.sha, watched.line))


def _note(folder: Any, watched: Watched, nights: Sequence[LogRow]) -> None:
    """Leave word beside the logs: what was recorded before the nights that show the shift is no record any more."""
    now = datetime.now(UTC)
    first = min(nights, key=lambda row: row.began).created
    note = {"from": first, "line": watched.line, "at": now.isoformat(timespec="seconds")}
    artifact.write_json(folder / f"moved-{now:%Y%m%dT%H%M%SZ}.json", note)


def mark_open(spec: RunSpec, baseline: str, suite: str, line: str) -> tuple[str, ...]:
    """Enter into the ledger of every comparison with this baseline that is not decided that the baseline moved."""
    where = spec.ledger or beside(spec.log_dir)
    place = place_of(where, spec.repo)
    entries = [parse(name, data) for name, data in place.read(place.names("")).items()]
    begun = [entry for entry in entries if entry.kind == "attempt" and _concerns(entry, baseline, suite)]
    decided = {entry.attempt for entry in entries if entry.kind == "look" and entry.facts.get("verdict") in FINAL}
    opened = [entry for entry in begun if entry.attempt not in decided]
    for entry in opened:
        Book(place, str(where), entry.comparison).write("moved", entry.attempt, {"line": line})
    return tuple(str(entry.facts.get("logs")) for entry in opened)


def _concerns(entry: LedgerEntry, baseline: str, suite: str) -> bool:
    return (entry.facts.get("baseline"), entry.facts.get("suite")) == (baseline, suite)


def as_json(watched: Watched) -> str:
    """The night as JSON."""
    data = {"schema_version": 1, "moved": watched.moved, "line": watched.line, "since": watched.since}
    return json.dumps({**data, **watched.movement._asdict(), "open": list(watched.open)}, indent=2) + "\n"
