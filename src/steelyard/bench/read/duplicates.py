"""Logs with the same id: copies of one run count once; if copies disagree, all of them are rejected.

Anyone can write a log with the id of another. If the first of two were taken as the original, a forged log with a name
early in the alphabet would push the genuine one off the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from steelyard.bench.model import Ignored
from steelyard.outcome import Scored
from steelyard.rows import LogRow
from steelyard.stamp import Stamp

_FIXED = (
    *("model", "task", "task_id", "run_id", "created", "model_args", "generate_config", "task_args"),
    *("limited", "epochs", "sample_ids", "stamp"),
)
"""Fields that are fixed when a run starts: copies of one run agree in them, however far each copy got."""


def without_copies(rows: Sequence[LogRow], ignored: list[Ignored]) -> list[LogRow]:
    """Each run once, from its fullest copy; logs with the same id that contradict each other are all ignored."""
    by_id: dict[str, list[LogRow]] = {}
    for row in rows:
        by_id.setdefault(row.eval_id or row.path, []).append(row)
    kept: list[LogRow] = []
    for group in by_id.values():
        if len(group) == 1:
            kept += group
            continue
        best, *copies = sorted(group, key=_fullest_first)
        disputed = sorted({name for copy in copies for name in contradictions(best, copy)})
        if disputed:
            ignored += [_conflicting(row, group, disputed) for row in group]
        else:
            ignored += [Ignored(copy.path, "duplicate", f"the same run as {best.path}") for copy in copies]
            kept.append(best)
    return sorted(kept, key=lambda row: row.path)


def _fullest_first(row: LogRow) -> tuple[int, int, bool, str]:
    scored = sum(isinstance(score.outcome, Scored) for run in row.runs for score in run.scores.values())
    # The path breaks ties, so that the order of reading does not matter.
    return -scored, -len(row.runs), row.status != "success", row.path


def _conflicting(row: LogRow, group: Sequence[LogRow], disputed: Sequence[str]) -> Ignored:
    others = ", ".join(sorted(other.path for other in group if other is not row))
    reason = f"claims to be the same run as {others}, but differs in {', '.join(disputed)}; remove what is not genuine"
    return Ignored(row.path, "conflicting", reason)


def contradictions(one: LogRow, other: LogRow) -> list[str]:
    """The fields in which two logs with one id contradict each other; empty for a copy, even of an unfinished run."""
    names = [name for name in _FIXED if _bare(getattr(one, name)) != _bare(getattr(other, name))]
    return [*names, "scores"] if _scores_differ(one, other) else names


def _bare(value: Any) -> Any:
    """The value without nulls, which only one of Inspect's two log formats writes."""
    if isinstance(value, Stamp):
        value = asdict(value)
    if isinstance(value, Mapping):
        fields = cast(Mapping[str, Any], value)
        return {name: _bare(field) for name, field in fields.items() if field is not None}
    return value


def _scores_differ(one: LogRow, other: LogRow) -> bool:
    """Whether the two disagree on a run that both scored."""
    first, second = ({(run.id, run.epoch): run.scores for run in log.runs} for log in (one, other))
    # Only runs in both: a copy made while the run went on is merely shorter.
    pairs = [
        (first[run][name].outcome, second[run][name].outcome)
        for run in first.keys() & second.keys()
        for name in first[run].keys() & second[run].keys()
    ]
    return any(isinstance(a, Scored) and isinstance(b, Scored) and a != b for a, b in pairs)
