"""Rounds chained by hash: the log of a round names the logs that this side had before it (docs/scoring.md §3.5). Pure.

A log that was removed is missed by every log begun after it, and one that was run again in its place is not the one
they name. What stays when a judge grades again is hashed: the evaluation's id, when it began, and what the checks said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from steelyard.gate.metadata import SCORER, position_of
from steelyard.logs.identity import sha256_of
from steelyard.rows import LogRow

BEFORE = "before"
"""Key of a stamp's `extra` that holds the digests of the side's earlier logs, in no particular order."""

_DIGITS = 20


def digest(row: LogRow) -> str:
    """The hash of a log that was read."""
    runs = sorted(
        (run.id, run.epoch, str(run.scores[SCORER].value) if SCORER in run.scores else "") for run in row.runs
    )
    return sha256_of([row.eval_id, row.created, runs])[:_DIGITS]


def digests(rows: Iterable[LogRow], unit: str) -> tuple[str, ...]:
    """The digests of the logs of one side."""
    return tuple(sorted(digest(row) for row in rows if row.stamp is not None and row.stamp.unit == unit))


def breaks(rows: Sequence[LogRow]) -> tuple[str, ...]:
    """What is wrong with the chain of one side, in words; empty if every log that another names is there."""
    known = {digest(row) for row in rows}
    lines: list[str] = []
    for row in rows:
        assert row.stamp is not None
        before, position = cast(Sequence[str] | None, row.stamp.extra.get(BEFORE)), position_of(row)
        if before is None:
            if position.rounds > 1:
                lines.append("its rounds do not name those before them, so a removed round would not be seen")
            continue
        if gone := len({*before} - known):
            logs = "a log" if gone == 1 else f"{gone} logs"
            lines.append(f"round {position.round} was run after {logs} that {'is' if gone == 1 else 'are'} gone")
    return tuple(dict.fromkeys(lines))
