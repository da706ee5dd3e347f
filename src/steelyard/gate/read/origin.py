"""Which runs a log holds, whatever the file is called: links, copies and the other format of a log are recognized."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.logs.identity import sha256_of
from steelyard.rows import LogRow


def origins_of(rows: Iterable[LogRow]) -> dict[str, str]:
    """Id of each log, which stays when it is scored anew, and its content, which stays when the id changes → path."""
    return {origin: row.path for row in rows for origin in (row.eval_id, _content(row)) if origin}


def without_copies(rows: Iterable[LogRow]) -> list[LogRow]:
    """Each log once: a copy under another name is no further attempt, one with other scores is."""
    return list({(row.eval_id or row.path, _content(row)): row for row in rows}.values())


def _content(row: LogRow) -> str:
    runs = [
        (run.id, run.epoch, run.total_time_s, {name: score.value for name, score in run.scores.items()})
        for run in row.runs
    ]
    # Sorted as text, because the values of scores may be of any type.
    return sha256_of((row.created, row.model, sorted(runs, key=str))) if runs else ""
