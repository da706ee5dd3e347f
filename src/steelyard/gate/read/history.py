"""A baseline from earlier runs: all full rounds on record of one configuration, whichever runs they come from.

Rounds of several runs are numbered on. Runs of watched tasks are left out: they were run because of how they looked.
A run without a score is left out too: it is one run fewer on record.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from steelyard.errors import IncomparableError, InputError
from steelyard.gate.ledger.book import confirms, recorded_attempt
from steelyard.gate.metadata import position_of
from steelyard.gate.model import Arm, Run
from steelyard.gate.read.arm import gate_arm, read_rows
from steelyard.rows import LogRow


class PastRound(NamedTuple):
    """A full round of the baseline, and when it began."""

    began: datetime
    runs: Mapping[str, Run]


def history_arm(sources: Sequence[str]) -> Arm:
    """The baseline on record in logs and folders of gate runs."""
    return history_of(read_rows(sources, "baseline"))


def history_of(rows: Sequence[LogRow]) -> Arm:
    """The same from logs that were read."""
    own = _baseline(rows)
    arms = [gate_arm(group, "baseline") for group in sorted(_groups(own), key=_began)]
    newest = arms[-1]
    runs: list[Run] = []
    rounds = 0
    for arm in arms:
        if arm.identity != newest.identity:
            raise IncomparableError("baseline: the runs on record come from different tasks or settings")
        runs += [dataclasses.replace(run, round=run.round + rounds) for run in arm.runs]
        rounds += arm.side.rounds
    side = dataclasses.replace(
        newest.side,
        sources=tuple(source for arm in arms for source in arm.side.sources),
        runs=len(runs),
        rounds=rounds,
        attempts=None,
        created=arms[0].side.created,
        historical=True,
    )
    return dataclasses.replace(
        newest,
        side=side,
        runs=tuple(runs),
        units=dict.fromkeys(side.sources, "baseline"),
        gaps=(),
        extra=(),
        repeated=(),
        breaks=(),
        attempt=None,
        interleaved=False,
    )


def recorded_rounds(rows: Sequence[LogRow]) -> list[PastRound]:
    """Every round of the baseline on record, oldest first; a round of `gate watch` may hold only some tasks."""
    found: list[PastRound] = []
    for group in _groups(_baseline(rows)):
        for number in sorted({position_of(row).round for row in group}):
            part = [row for row in group if position_of(row).round == number]
            runs = {run.task: run for run in gate_arm(part, "baseline").runs if run.round == number}
            found.append(PastRound(_began(part), runs))
    return sorted(found, key=lambda each: each.began)


def _began(rows: Sequence[LogRow]) -> datetime:
    return min(row.began for row in rows)


def _baseline(rows: Sequence[LogRow]) -> list[LogRow]:
    """The logs of one configuration: those of the baseline, where a folder holds both sides."""
    gate = [row for row in rows if row.stamp is not None and row.stamp.wing == "gate"]
    configs = {str(_extra(row).get("config")) for row in gate}
    # A recorded run may once have been the candidate.
    own = gate if len(configs) == 1 else [row for row in gate if row.stamp is not None and row.stamp.unit == "baseline"]
    if not own:
        raise InputError("no runs of a baseline in these logs", cure="name the logs of a gate run")
    if len({str(_extra(row).get("config")) for row in own}) > 1:
        raise InputError("baseline: the logs contain runs of two configurations; name the folder of one")
    return own


def _extra(row: LogRow) -> Mapping[str, Any]:
    return row.stamp.extra if row.stamp is not None else {}


def _groups(rows: Sequence[LogRow]) -> list[list[LogRow]]:
    """The logs by the run and the side they come from: round 1 of one is not round 1 of another."""
    groups: dict[tuple[object, ...], list[LogRow]] = {}
    for row in rows:
        attempt = recorded_attempt(row)
        unit = row.stamp.unit if row.stamp is not None else ""
        key = (_extra(row).get("seed") if attempt is None else attempt.id, confirms(row), unit)
        groups.setdefault(key, []).append(row)
    return list(groups.values())
