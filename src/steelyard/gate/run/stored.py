"""`--baseline stored`: a gate run against the runs of the baseline that are on record (docs/scoring.md §3.5).

A record whose newest round is older than a week gets one fresh control round of the baseline first. It is kept in the
store like every other run, and the report says what is on record, since when, and the allowance for drift.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.gate.config import Config, load_config
from steelyard.gate.ledger.book import recorded_attempt
from steelyard.gate.ledger.confirmation import CountedAttempt
from steelyard.gate.model import Run
from steelyard.gate.read.arm import identity, read_rows
from steelyard.gate.read.history import recorded_rounds
from steelyard.gate.run.evaluation import evaluate, require_whole
from steelyard.gate.run.plan import RunSpec, Unit, load_arms
from steelyard.gate.score import composite
from steelyard.gate.store.arms import Store, listed, suite_key
from steelyard.gate.store.drift import WEEK, Dated, allowance
from steelyard.gate.tasks import ArmSpec, Round, fingerprint
from steelyard.logs.field_types import instant
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.read import read_log
from steelyard.report.numbers import things
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from steelyard.location import Location

STORED = "stored"
"""`--baseline stored`, or `stored:CONFIG`."""

CONTROL = "control"
"""Folder in the log folder for the control rounds of the baseline."""


class OnRecord(NamedTuple):
    """The runs of a baseline in a store."""

    logs: tuple[str, ...]
    folder: str
    """The name of its folder in the store."""


def with_record(spec: RunSpec, notify: Callable[[str], None], now: datetime | None = None) -> RunSpec:
    """The run against the record that `--baseline stored` means; any other run as it is."""
    word, _, named = (spec.baseline or "").partition(":")
    if word != STORED:
        return spec
    if spec.store is None:
        raise InputError("--baseline stored needs a store", cure="--store FOLDER, or s3://…")
    source = named or None
    # Only the candidate is loaded: the baseline on record does not run.
    arms = load_arms(replace(spec, baseline=None, baseline_log=STORED))
    store, suite = Store(spec.store), suite_key(identity(fingerprint(arms["candidate"])))
    record = on_record(store, suite, source, spec, arms["candidate"].config.sha)
    folder = store.folder(suite, record.folder)
    rows = since_moved(read_rows(record.logs, "the store"), folder)
    moment = now or datetime.now(UTC)
    rounds = dated(rows)
    aged = not rounds or moment - max(at for at, _ in rounds) > WEEK
    # Without a named configuration there is nothing that could run.
    if aged and source is not None:
        notify("the newest round on record is older than a week: one control round of the baseline")
        fresh = control_round(spec, replace(arms["candidate"], name="baseline", config=_config(source, spec)))
        store.keep(fresh)
        rows, rounds = [*rows, *fresh], [*rounds, *dated(fresh)]
    # A round of `gate watch` may hold only some of the tasks.
    if not any({task.id for task in arms["candidate"].suite.tasks} <= scores.keys() for _, scores in rounds):
        raise InputError("the store has no full round of this baseline since it moved", cure="run it once more")
    drift, why = allowance(rounds, moment)
    return replace(
        spec,
        baseline=None,
        baseline_log=tuple(row.path for row in rows),
        drift=drift,
        notes=(*spec.notes, *(str(note["line"]) for note in moves(folder)), said(rounds, drift, why)),
    )


def said(rounds: Sequence[Dated], drift: float, why: str) -> str:
    """What is on record, for a reader."""
    first, last = (edge(at for at, _ in rounds).date().isoformat() for edge in (min, max))
    return (
        f"the baseline is on record: {things(len(rounds), 'round')} from {first} to {last}; "
        f"allowance for drift {drift:g} per task ({why})"
    )


def on_record(store: Store, suite: str, source: str | None, spec: RunSpec, candidate: str) -> OnRecord:
    """The runs of the baseline in a store; without a word on which it is, of the only other configuration there."""
    if source is not None:
        sha = _config(source, spec).sha
        if logs := store.logs(suite, sha):
            return OnRecord(tuple(logs), sha)
        raise InputError(
            f"the store {store.where} has no runs of {source} with these tasks, agent, model and settings",
            cure=f"run once with --baseline {source} --store {store.where}",
        )
    # Folders in a store are named after the first digits of a hash.
    known = [name for name in store.configs(suite) if not candidate.startswith(name)]
    if len(known) != 1:
        state = "no configuration" if not known else f"{len(known)} configurations"
        raise InputError(f"the store {store.where} has {state} to compare with", cure="--baseline stored:CONFIG")
    return OnRecord(tuple(store.logs(suite, known[0])), known[0])


def _config(source: str, spec: RunSpec) -> Config:
    return replace(load_config(source, repo=spec.repo), skill=spec.skill)


def control_round(spec: RunSpec, arm: ArmSpec, tasks: Sequence[str] | None = None) -> list[LogRow]:
    """Run the baseline alone once, all of its tasks or some."""
    seed = secrets.randbits(31)
    names = list(tasks if tasks is not None else (task.id for task in arm.suite.tasks))
    Random(seed).shuffle(names)
    # A folder of its own: to Inspect, the same tasks in the same folder would be done already.
    folder = spec.log_dir / CONTROL / str(seed)
    ready_for_logs(folder)
    alone = CountedAttempt(f"{CONTROL}-{seed}", control=True)
    unit = Unit(Round(1, 1, seed, attempt=alone.as_metadata()), {"baseline": tuple(names)})
    where = replace(spec, log_dir=folder)
    # `evaluate` takes the model from the candidate.
    logs = evaluate(where, {"baseline": arm, "candidate": arm}, [unit])
    require_whole(logs)
    return [read_log(log.location) for log in logs]


def is_control(row: LogRow) -> bool:
    """Whether the baseline ran alone here, to be held against its record."""
    attempt = recorded_attempt(row)
    return attempt is not None and attempt.control


def moves(folder: Location) -> list[dict[str, Any]]:
    """What `gate watch` left beside the logs of a baseline that moved, oldest first."""
    notes = [folder / name for name in listed(folder) if name.endswith(".json")]
    return [cast(dict[str, Any], artifact.read_json(note)) for note in notes]


def since_moved(rows: Sequence[LogRow], folder: Location) -> list[LogRow]:
    """The runs that are still a record of the baseline: those since it last moved."""
    cuts = [instant(note["from"], "from") for note in moves(folder)]
    return [row for row in rows if all(row.began >= cut for cut in cuts)]


def dated(rows: Sequence[LogRow]) -> list[Dated]:
    """The rounds on record with the score of each task, before cost."""
    return [(round.began, {task: _score(run) for task, run in round.runs.items()}) for round in recorded_rounds(rows)]


def _score(run: Run) -> float:
    return composite(run, judged=run.judge is not None, adj=0.0)
