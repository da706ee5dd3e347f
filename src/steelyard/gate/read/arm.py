"""One side of a comparison, read from a results file, from gate logs or from any other Inspect logs.

Gate runs (`steelyard/gate`) have one log per round. Of several attempts at one run the newest scored one counts, so a
run that was completed later fills its gap. Every planned task × round becomes a run or a gap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from steelyard.errors import IncomparableError, InputError, LogError
from steelyard.gate.metadata import JUDGE, SCORER, from_metadata
from steelyard.gate.model import Arm, Gap, Run, Side
from steelyard.gate.read import results_file
from steelyard.gate.read.foreign import NO_TRACE, foreign_arm
from steelyard.logs.read import read_logs
from steelyard.outcome import Outcome, Unscored
from steelyard.rows import LogRow, RunRow
from steelyard.stamp import Fingerprint, Stamp


class FileReader(Protocol):
    """A module that reads the results of another harness from one file."""

    def recognizes(self, path: Path) -> bool:
        """Whether `path` is a file of this kind; looks at a few bytes at most."""
        ...

    def read(self, path: Path) -> Arm:
        """The arm in the file; `InputError` naming the entry that cannot be used."""
        ...


FILE_READERS: tuple[FileReader, ...] = (results_file,)
"""Readers of files that are not Inspect logs, tried in this order. A new one is a module here and its name in it."""


def read_arm(sources: Sequence[str], name: str, *, scorer: str | None = None) -> Arm:
    """The arm in files and folders; `name` is the side, for errors."""
    if len(sources) == 1:
        for reader in FILE_READERS:
            if reader.recognizes(Path(sources[0])):
                return reader.read(Path(sources[0]))
    logs = read_logs(sources)
    if logs.problems:
        first = logs.problems[0]
        raise LogError(
            f"{name}: {first.reason}" if first.path in first.reason else f"{name}: {first.path}: {first.reason}"
        )
    ours = [row for row in logs.rows if _is_gate(row)]
    if ours and len(ours) < len(logs.rows):
        raise InputError(f"{name}: runs of the gate and other logs are mixed; name the logs to compare")
    return _gate_arm(ours, name) if ours else foreign_arm(logs.rows, name, scorer)


def _is_gate(row: LogRow) -> bool:
    return row.stamp is not None and row.stamp.wing == "gate"


def _gate_arm(rows: Sequence[LogRow], name: str) -> Arm:
    stamps = [row.stamp for row in rows if row.stamp is not None]
    newest = max(rows, key=lambda row: row.created).stamp
    assert newest is not None
    for stamp in stamps:
        if stamp.extra.get("config") != newest.extra.get("config"):
            raise InputError(f"{name}: the logs contain runs of two configurations; name the folder of one")
        if stamp.fingerprint != newest.fingerprint:
            raise IncomparableError(f"{name}: the logs of this side come from different tasks or settings")
    order = cast(Mapping[str, Sequence[str]], newest.extra.get("checks") or {})
    rounds = max(int(stamp.extra.get("rounds", 1)) for stamp in stamps)
    attempts = _attempts(rows)
    judged = frozenset(cast(Sequence[str], newest.extra.get("judged") or ()) if newest.fingerprint.judge else ())
    runs: list[Run] = []
    gaps: list[Gap] = []
    for task in order:
        for number in range(1, rounds + 1):
            result = _best(attempts.get((task, number), []), task, number, order[task], judged=task in judged)
            (runs if isinstance(result, Run) else gaps).append(result)  # type: ignore[arg-type]
    side = dataclasses.replace(
        _side(newest, name),
        sources=tuple(row.path for row in rows),
        runs=len(runs) + len(gaps),
        rounds=rounds,
        judge_agreement=_agreement(rows) if newest.fingerprint.judge else None,
    )
    units = {row.path: row.stamp.unit for row in rows if row.stamp is not None}
    seed = int(stamps[0].extra.get("seed", 0))
    return Arm(side, tuple(runs), tuple(gaps), identity(newest.fingerprint), units, seed)


def identity(fingerprint: Fingerprint) -> dict[str, object]:
    """Field → value that must be equal on both sides."""
    fixed = {key: getattr(fingerprint, key) for key in ("dataset", "samples", "scorer", "judge", "rubric")}
    return {**fixed, **{f"parameters.{key}": value for key, value in fingerprint.parameters.items()}}


def _side(stamp: Stamp, name: str) -> Side:
    parameters, extra = stamp.fingerprint.parameters, stamp.extra
    return Side(
        label=stamp.label or name,
        kind="gate",
        sources=(),
        model=cast(str | None, parameters.get("model")),
        agent=cast(str | None, parameters.get("agent")),
        config=cast(str | None, extra.get("config")),
        artifacts=cast(Mapping[str, str], extra.get("artifacts") or {}),
        source=cast(str | None, extra.get("source")),
        judge=stamp.fingerprint.judge,
        judge_standing=_standing(stamp.fingerprint),
        environment=stamp.environment,
    )


def _standing(fingerprint: Fingerprint) -> str | None:
    if fingerprint.judge is None:
        return None
    from steelyard.judge.calibration.record import calibration_status  # only if there was a judge

    return calibration_status(fingerprint.judge, fingerprint.rubric or "")


def _agreement(rows: Iterable[LogRow]) -> dict[str, Any] | None:
    from steelyard.judge.judgement import RATINGS, concord

    scores = (run.scores[JUDGE] for row in rows for run in row.runs if JUDGE in run.scores)
    return concord(score.metadata.get(RATINGS) or {} for score in scores)


_Attempt = tuple[str, str, RunRow]
"""(created, log path, run)"""


def _attempts(rows: Iterable[LogRow]) -> dict[tuple[str, int], list[_Attempt]]:
    attempts: dict[tuple[str, int], list[_Attempt]] = {}
    for row in sorted(rows, key=lambda row: row.created):
        assert row.stamp is not None
        number = int(row.stamp.extra.get("round", 1))
        for run in row.runs:
            attempts.setdefault((run.id, number), []).append((row.created, row.path, run))
    return attempts


def _best(attempts: Sequence[_Attempt], task: str, number: int, order: Sequence[str], *, judged: bool) -> Run | Gap:
    """The newest scored attempt, or why there is none; an attempt that ended in an error does not count."""
    gap = Gap(task, number, "missing", NO_TRACE)
    for _, path, run in attempts:
        score = run.scores.get(SCORER)
        if score is None or run.error is not None:
            gap = Gap(task, number, "harness", run.error or "the run has no score", path)
        elif isinstance(score.outcome, Unscored):
            gap = Gap(task, number, score.outcome.fault, score.outcome.reason, path)
    for _, path, run in reversed(attempts):
        score = run.scores.get(SCORER)
        if score is not None and run.error is None and not isinstance(score.outcome, Unscored):
            scored = from_metadata(task, score.metadata, order, _judge(run, judged))
            return (
                dataclasses.replace(scored, round=number)
                if scored
                else Gap(task, number, "harness", "the score lacks the metadata the gate writes", path)
            )
    return gap


def _judge(run: RunRow, judged: bool) -> Outcome | None:
    """The judge's outcome; a judge that was configured and left no trace gave no verdict."""
    score = run.scores.get(JUDGE)
    if score is not None:
        return score.outcome
    return Unscored("judge", "no trace of the judge in the log") if judged else None
