"""Logs that claim one id: copies of one run count once, and where they contradict each other nobody is believed.

Anyone can write a log with the id of another. Were the first of two simply taken for the original, a forged one with a
name early in the alphabet would push the genuine one off the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from steelyard.bench.model import Ignored
from steelyard.logs.identity import Stamp
from steelyard.logs.read import LogRow
from steelyard.outcome import Scored

_FIXED = (
    *("model", "task", "task_id", "run_id", "created", "model_args", "generate_config", "task_args"),
    *("limited", "epochs", "sample_ids", "stamp"),
)
"""What is settled when a run starts: two logs of one run agree in it, however far each of them came."""


def without_copies(rows: Sequence[LogRow], ignored: list[Ignored]) -> list[LogRow]:
    """Each run once: of true copies the fullest. Logs that claim one id and tell different stories all fall."""
    by_id: dict[str, list[LogRow]] = {}
    for row in rows:
        by_id.setdefault(row.eval_id or row.path, []).append(row)
    kept: list[LogRow] = []
    for group in by_id.values():
        best, *copies = sorted(group, key=_fullest_first)
        disputed = sorted({name for copy in copies for name in contradictions(best, copy)})
        if disputed:
            ignored += [_conflicting(row, group, disputed) for row in group]
        else:
            ignored += [Ignored(copy.path, "duplicate", f"the same run as {best.path}") for copy in copies]
            kept.append(best)
    return sorted(kept, key=lambda each: each.path)


def _fullest_first(row: LogRow) -> tuple[int, int, bool, str]:
    scored = sum(isinstance(score.outcome, Scored) for run in row.runs for score in run.scores.values())
    return -scored, -len(row.runs), row.status != "success", row.path


def _conflicting(row: LogRow, group: Sequence[LogRow], disputed: Sequence[str]) -> Ignored:
    others = ", ".join(sorted(other.path for other in group if other is not row))
    reason = f"claims to be the same run as {others}, but differs in {', '.join(disputed)}; remove what is not genuine"
    return Ignored(row.path, "conflicting", reason)


def contradictions(one: LogRow, other: LogRow) -> list[str]:
    """In what two logs of one id cannot both be true; empty for a copy, also one made while the run went on."""
    names = [name for name in _FIXED if _bare(getattr(one, name)) != _bare(getattr(other, name))]
    return [*names, "scores"] if _scores_differ(one, other) else names


def _bare(value: Any) -> Any:
    """Without what is null: of Inspect's two formats only one writes it."""
    if isinstance(value, Stamp):
        value = asdict(value)
    if isinstance(value, Mapping):
        known = cast(Mapping[str, Any], value)
        return {name: _bare(each) for name, each in known.items() if each is not None}
    return value


def _scores_differ(one: LogRow, other: LogRow) -> bool:
    """A run that has no number in one of them says nothing against the other."""
    first, second = ({(run.id, run.epoch): run.scores for run in log.runs} for log in (one, other))
    pairs = [
        (first[run][name].outcome, second[run][name].outcome)
        for run in first.keys() & second.keys()
        for name in first[run].keys() & second[run].keys()
    ]
    return any(isinstance(a, Scored) and isinstance(b, Scored) and a != b for a, b in pairs)
