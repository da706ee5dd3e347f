"""One side of a comparison, read from a results file, from gate logs or from any other Inspect logs.

Gate runs (`steelyard/gate`) have one log per arm and round, usually of both arms in one folder; the stamp says which is
which. Of several attempts at one run the newest scored one counts. Every planned task × round becomes a run or a gap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from steelyard.errors import IncomparableError, InputError, LogError
from steelyard.gate.ledger.book import confirms, recorded_attempt
from steelyard.gate.ledger.chain import breaks
from steelyard.gate.metadata import JUDGE, PAIRWISE, PARTS, RUBRICS, SCORER, from_metadata, position_of
from steelyard.gate.model import Arm, Gap, Run, Side
from steelyard.gate.read import harness, results_file, skillci_file
from steelyard.gate.read.consistency import check_log
from steelyard.gate.read.foreign import NO_TRACE, foreign_arm
from steelyard.gate.read.origin import origins_of, without_copies
from steelyard.judge.parse import TIE
from steelyard.location import location
from steelyard.logs.identity import sha256_of
from steelyard.logs.read import FULL, read_logs
from steelyard.outcome import Outcome, Unscored
from steelyard.rows import LogRow, RunRow
from steelyard.stamp import Fingerprint, Stamp

if TYPE_CHECKING:
    from datetime import datetime

    from steelyard.location import Location


class FileReader(Protocol):
    """A module that reads the results of another harness from one file, or from a folder of them."""

    def recognizes(self, path: Location) -> bool:
        """Whether `path` is a file of this kind; looks at a few bytes at most."""
        ...

    def read(self, path: Location) -> Arm:
        """The arm in the file; `InputError` naming the entry that cannot be used."""
        ...


# `results_file` accepts any JSON that is not an Inspect log, so it comes last.
FILE_READERS: tuple[FileReader, ...] = (skillci_file, harness, results_file)
"""Readers of files that are not Inspect logs, tried in this order. A new one is a module here and its name in it."""


def read_arm(sources: Sequence[str], name: str, *, scorer: str | None = None) -> Arm:
    """The arm in files and folders; `name` is the side, which chooses among the logs of a run that hold both."""
    return read_file(sources) or arm_of(read_rows(sources, name), name, scorer=scorer)


def read_file(sources: Sequence[str]) -> Arm | None:
    """The arm in a file of another harness; None if `sources` is anything else."""
    if len(sources) != 1:
        return None
    path = location(sources[0])
    return next((reader.read(path) for reader in FILE_READERS if reader.recognizes(path)), None)


def read_rows(sources: Sequence[str], name: str) -> tuple[LogRow, ...]:
    """The logs in files and folders; a log that cannot be read is an error. `name` is the side, for errors."""
    logs = read_logs(sources, view=FULL)
    if logs.problems:
        first = logs.problems[0]
        raise LogError(
            f"{name}: {first.reason}" if first.path in first.reason else f"{name}: {first.path}: {first.reason}"
        )
    return logs.rows


def arm_of(rows: Sequence[LogRow], name: str, *, scorer: str | None = None) -> Arm:
    """One side of a comparison from logs that were read."""
    ours = [row for row in rows if _is_gate(row)]
    if ours and len(ours) < len(rows):
        raise InputError(f"{name}: runs of the gate and other logs are mixed; name the logs to compare")
    # A copy under another name would look like a second attempt at the same runs.
    return gate_arm(without_copies(ours), name) if ours else foreign_arm(rows, name, scorer)


def holds_both(rows: Sequence[LogRow]) -> bool:
    """Whether these are logs of both sides of a gate run."""
    return {"baseline", "candidate"} <= {_stamp(row).unit for row in rows if _is_gate(row)}


def _is_gate(row: LogRow) -> bool:
    return row.stamp is not None and row.stamp.wing == "gate"


def _stamp(row: LogRow) -> Stamp:
    assert row.stamp is not None
    return row.stamp


def gate_arm(rows: Sequence[LogRow], name: str) -> Arm:
    """One side from the logs of a gate run, which may hold the other side too."""
    rows = _one_phase(rows)
    own = [row for row in rows if _stamp(row).unit == name] if holds_both(rows) else rows
    for row in own:
        check_log(row)
    # By round and not by clock alone: a clock may go back.
    last = max(own, key=_order)
    newest = _stamp(last)
    for stamp in map(_stamp, own):
        if stamp.extra.get("config") != newest.extra.get("config"):
            raise InputError(f"{name}: the logs contain runs of two configurations; name the folder of one")
        if stamp.fingerprint != newest.fingerprint:
            raise IncomparableError(f"{name}: the logs of this side come from different tasks or settings")
    recorded = _registration(own, name)
    # A round that only the other side has is missing here, so its runs are gaps.
    rounds = max(position_of(row).rounds for row in rows)
    runs, gaps, extra, interleaved = _runs(own, newest, rounds, baseline=name == "baseline")
    repeated = _repeated(own, [row for row in rows if _stamp(row).unit != newest.unit])
    side = dataclasses.replace(
        _side(newest, name),
        sources=tuple(row.path for row in own),
        runs=len(runs) + len(gaps),
        rounds=rounds,
        attempts=sum(len(row.runs) for row in own),
        created=min(own, key=lambda row: row.began).created,
        **(_about_verdicts(own) if newest.fingerprint.judge else {}),
    )
    return Arm(
        side,
        runs,
        gaps,
        identity(newest.fingerprint),
        units={row.path: _stamp(row).unit for row in own},
        labels=_labels(newest),
        seed=int(newest.extra.get("seed", 0)),
        interleaved=interleaved,
        registration=recorded,
        extra=extra,
        repeated=repeated,
        origins=origins_of(own),
        subject=SUBJECT,
        breaks=breaks(own),
        attempt=recorded_attempt(last),
    )


def lone_run(row: LogRow) -> Run | Gap:
    """The run of a log that has one."""
    stamp = _stamp(row)
    check_log(row)
    order = cast(Mapping[str, Sequence[str]], stamp.extra.get("checks") or {})
    task = row.sample_ids[0] if row.sample_ids else row.runs[0].id
    key = (task, *_order(row)[:2])
    judged = bool(stamp.fingerprint.judge) and task in (stamp.extra.get("judged") or ())
    return _best(_attempts([row]).get(key, []), key, order[task], judged=judged)[0]


def _one_phase(rows: Sequence[LogRow]) -> Sequence[LogRow]:
    """The fresh rounds that judge an improvement again, if there are any: they count by themselves."""
    return [row for row in rows if confirms(row)] or rows


def _repeated(own: Sequence[LogRow], others: Sequence[LogRow]) -> tuple[str, ...]:
    """Runs that were scored and then run again, in words.

    A run is rightly repeated when its counterpart on the other side had no score: pairs stay together.
    """
    counterparts = _attempts(others)
    lines: list[str] = []
    for key, attempts in _attempts(own).items():
        scored = sum(is_scored(run) for _, run in attempts)
        excused = sum(not is_scored(run) for _, run in counterparts.get(key, []))
        if scored > 1 + excused:
            lines.append(f"{key[0]} (round {key[1]}) has {scored} scored attempts; the newest counts")
    return tuple(lines)


def is_scored(run: RunRow) -> bool:
    """Whether a run of the gate has a result; one that was interrupted or broke has none."""
    score = run.scores.get(SCORER)
    return score is not None and run.error is None and not isinstance(score.outcome, Unscored)


def _registration(rows: Sequence[LogRow], name: str) -> Mapping[str, Any] | None:
    """What the first round registered; the settings of a comparison may not change between rounds."""
    recorded = [_stamp(row).extra.get("registration") for row in sorted(rows, key=_order)]
    # Logs of earlier versions registered nothing.
    if len({sha256_of(settings) for settings in recorded if settings}) > 1:
        raise IncomparableError(f"{name}: the settings changed between rounds")
    return cast(Mapping[str, Any] | None, recorded[0])


class _Runs(NamedTuple):
    """What the logs of one side hold."""

    scored: tuple[Run, ...]
    gaps: tuple[Gap, ...]
    extra: tuple[Run, ...]
    """Of watched tasks, beside the full rounds."""
    interleaved: bool


def _runs(rows: Sequence[LogRow], newest: Stamp, rounds: int, *, baseline: bool) -> _Runs:
    """Every planned task × round as a run or a gap; every watched task of an extra round too.

    In pairs the baseline has the score of a tie, also if it once was a candidate and has another one.
    """
    order = cast(Mapping[str, Sequence[str]], newest.extra.get("checks") or {})
    judged = frozenset(cast(Sequence[str], newest.extra.get("judged") or ()) if newest.fingerprint.judge else ())
    pairwise = judged.intersection(cast(Sequence[str], newest.extra.get(PAIRWISE) or ()) if baseline else ())
    attempts = _attempts(rows)
    planned = [(task, number, 0) for task in order for number in range(1, rounds + 1)]
    watched = sorted({key for key in _watched(rows) if key[0] in order}, key=lambda key: (key[1:], key[0]))
    runs: list[Run] = []
    gaps: list[Gap] = []
    side_by_side: set[bool] = set()
    for key in (*planned, *watched):
        task = key[0]
        result, interleaved = _best(attempts.get(key, []), key, order[task], judged=task in judged)
        if isinstance(result, Run):
            if task in pairwise:
                result = dataclasses.replace(result, judge=TIE, judge_missing=None)
            runs.append(result)
            side_by_side.add(interleaved)
        else:
            gaps.append(result)
    full, extra = (tuple(run for run in runs if bool(run.watch) == watch) for watch in (False, True))
    return _Runs(full, tuple(gaps), extra, side_by_side == {True})


def _order(row: LogRow) -> tuple[int, int, datetime, str]:
    position = position_of(row)
    return position.round, position.watch, row.began, row.path


def identity(fingerprint: Fingerprint) -> dict[str, object]:
    """Field → value that must be equal on both sides."""
    fixed = {key: getattr(fingerprint, key) for key in ("dataset", "samples", "scorer", "judge", "rubric")}
    return {**fixed, **{f"parameters.{key}": value for key, value in fingerprint.parameters.items()}}


SUBJECT = frozenset(f"parameters.{name}" for name in ("agent", "agent_identity", "model"))
"""Fields of a gate run's identity that belong to the subject, as the configuration does."""


def agent_label(parameters: Mapping[str, object]) -> str | None:
    """The agent for a reader: one that called its provider itself is told apart, because its costs are claims."""
    name, known = parameters.get("agent"), parameters.get("agent_identity")
    return cast(str | None, known if known == f"{name} direct" else name)


def _side(stamp: Stamp, name: str) -> Side:
    parameters, extra = stamp.fingerprint.parameters, stamp.extra
    return Side(
        label=stamp.label or name,
        kind="gate",
        sources=(),
        model=cast(str | None, parameters.get("model")),
        agent=agent_label(parameters),
        config=cast(str | None, extra.get("config")),
        artifacts=cast(Mapping[str, str], extra.get("artifacts") or {}),
        source=cast(str | None, extra.get("source")),
        folder=cast(str | None, extra.get("folder")),
        judge=stamp.fingerprint.judge,
        judge_standing=_standing(stamp),
        environment=stamp.environment,
    )


def _rubrics(stamp: Stamp) -> Mapping[str, str]:
    """Task → the hash of its rubric; logs of earlier versions have one hash for all of them."""
    return cast(Mapping[str, str], stamp.extra.get(RUBRICS) or {"": stamp.fingerprint.rubric or ""})


def _standing(stamp: Stamp) -> str | None:
    """Whether the judge is calibrated on every rubric it graded by."""
    if (judge := stamp.fingerprint.judge) is None:
        return None
    from steelyard.judge.calibration.record import calibration_status  # only if there was a judge

    found = {calibration_status(judge, sha): None for sha in _rubrics(stamp).values()}
    return "uncalibrated" if "uncalibrated" in found else ", ".join(found)


def _labels(stamp: Stamp) -> dict[str, Sequence[tuple[float, float]]]:
    if (judge := stamp.fingerprint.judge) is None:
        return {}
    from steelyard.judge.calibration.record import labelled_totals

    return {task: labelled_totals(judge, sha) for task, sha in _rubrics(stamp).items()}


def _about_verdicts(rows: Iterable[LogRow]) -> dict[str, Any]:
    """How far verdicts agree, and how many lack a usable reply."""
    from steelyard.judge.judgement import concord, unusable

    kept = [run.scores[JUDGE].metadata for row in rows for run in row.runs if JUDGE in run.scores]
    return {"judge_agreement": concord(kept), "judge_unusable": unusable(kept)}


_Key = tuple[str, int, int]
"""(task, round, number of the extra round for watched tasks or 0)"""

_Attempt = tuple[LogRow, RunRow]


def _attempts(rows: Iterable[LogRow]) -> dict[_Key, list[_Attempt]]:
    attempts: dict[_Key, list[_Attempt]] = {}
    for row in sorted(rows, key=_order):
        number, watch, *_ = _order(row)
        for run in row.runs:
            attempts.setdefault((run.id, number, watch), []).append((row, run))
    return attempts


def _watched(rows: Iterable[LogRow]) -> Iterator[_Key]:
    """What extra rounds were to run, from the list of samples that each log opens with."""
    for row in rows:
        number, watch, *_ = _order(row)
        if watch:
            yield from ((task, number, watch) for task in {*row.sample_ids, *(run.id for run in row.runs)})


def _best(attempts: Sequence[_Attempt], key: _Key, order: Sequence[str], *, judged: bool) -> tuple[Run | Gap, bool]:
    """The newest scored attempt, or why there is none, and whether both sides ran side by side in it.

    An attempt that ended in an error does not count.
    """
    task, number, watch = key
    gap = Gap(task, number, "missing", NO_TRACE, watch=watch)
    for row, run in attempts:
        score = run.scores.get(SCORER)
        if score is None or run.error is not None:
            gap = Gap(task, number, "harness", run.error or "the run has no score", row.path, watch)
        elif isinstance(score.outcome, Unscored):
            gap = Gap(task, number, score.outcome.fault, score.outcome.reason, row.path, watch)
    # Newest first: a run that was completed later fills its gap.
    for row, run in reversed(attempts):
        if is_scored(run):
            parts = cast(Sequence[str], _stamp(row).extra.get(PARTS) or ())
            scored = from_metadata(task, run.scores[SCORER].metadata, order, _judge(run, judged), parts)
            if scored is None:
                reason = "the score lacks the metadata the gate writes"
                return Gap(task, number, "harness", reason, row.path, watch), False
            interleaved = _stamp(row).extra.get("interleaved") is True
            return dataclasses.replace(scored, round=number, watch=watch), interleaved
    return gap, False


def _judge(run: RunRow, judged: bool) -> Outcome | None:
    """The judge's outcome; a judge that was configured and left no trace gave no verdict."""
    score = run.scores.get(JUDGE)
    if score is not None:
        return score.outcome
    return Unscored("judge", "no trace of the judge in the log") if judged else None
