"""A log's row as bytes and back, exactly: what is its own, its runs packed, and what it shares with other logs.

Logs of one task have the same sample ids and ask the same questions, and those of one subject have the same head, so
these are kept once for all of them, and decoded once. Runs stay packed until somebody iterates over them: of thousands
of logs, a board looks at the runs of a few hundred.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, cast, overload

from steelyard.outcome import Outcome, Scored, Unscored
from steelyard.rows import LogRow, RunRow, ScoreRow
from steelyard.stamp import Fingerprint, Stamp

_HEAD = (
    *("task", "model", "model_args", "generate_config", "task_args", "limited", "epochs", "stamp"),
    *("versions", "dataset", "scorers", "roles", "task_version", "solvers", "limits"),
)
"""Fields of a row that runs of one task on one subject have in common."""

_decode = json.JSONDecoder().decode
"""`json.loads` without the search for an encoding, for ten thousand short texts."""

_OWN = tuple(
    field.name
    for field in fields(LogRow)
    if field.name not in ("path", "runs", "sample_ids") and field.name not in _HEAD
)
# By place: for ten thousand rows, handing over fields by name takes longer than all else about them.
_head_values = itemgetter(*_HEAD)
_in_order = itemgetter(*(("path", "runs", "sample_ids", *_HEAD, *_OWN).index(field.name) for field in fields(LogRow)))
_RUN, _SCORE = (tuple(field.name for field in fields(kind)) for kind in (RunRow, ScoreRow))

_FAST = 1
"""How hard zlib tries: a row is packed in a fraction of the time that it takes to read its log."""


class Texts(NamedTuple):
    """What logs of one task have in common."""

    sample_ids: tuple[str, ...]
    questions: tuple[str, ...]
    """Each once, sorted."""


Head = Mapping[str, Any]
"""The fields `_HEAD` of a row."""


class Packed(NamedTuple):
    """A row as bytes."""

    own: bytes
    """JSON: the number of its runs, then its own fields."""
    runs: bytes
    """Compressed JSON."""
    texts: bytes
    """Digest of the `Texts` that it needs."""
    head: bytes
    """Digest of its `Head`."""


class PackedRuns(Sequence[RunRow]):
    """The runs of a log, decoded anew on every iteration; make a tuple of them to iterate more than once."""

    def __init__(self, data: bytes, questions: tuple[str, ...], count: int) -> None:
        self._data = data
        self._questions = questions
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[RunRow]:
        return (_read_run(values, self._questions) for values in json.loads(zlib.decompress(self._data)))

    @overload
    def __getitem__(self, index: int) -> RunRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RunRow]: ...
    def __getitem__(self, index: int | slice) -> RunRow | Sequence[RunRow]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(cast(Sequence[Any], other))

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


class SharedParts:
    """The parts that the rows in hand share, each in memory once: rows with one head hold the very same objects."""

    def __init__(self) -> None:
        self._by_digest: dict[bytes, Texts | Head] = {}

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._by_digest

    def __getitem__(self, digest: bytes) -> Any:
        return self._by_digest[digest]

    def add(self, part: Texts | Head) -> bytes:
        """Keep a part; returns its digest."""
        data = dump_part(part)
        digest = _digest(data)
        # Read back from its bytes, so that a fresh row holds exactly what the index gives later.
        if digest not in self._by_digest:
            self._by_digest[digest] = _read_part(data)
        return digest

    def add_bytes(self, digest: bytes, data: bytes) -> bool:
        """Keep a part from outside; False if it is damaged."""
        if _digest(data) != digest:
            return False
        self._by_digest[digest] = _read_part(data)
        return True


def dump_part(part: Texts | Head) -> bytes:
    """The part as JSON; raises `TypeError` for values that JSON does not have."""
    return json.dumps(part, default=_stamp_fields).encode()


def _stamp_fields(value: Any) -> dict[str, Any]:
    if not isinstance(value, Stamp):
        raise TypeError(f"{type(value).__name__} is not in JSON")
    return asdict(value)


def _read_part(data: bytes) -> Texts | Head:
    part: Any = json.loads(data)
    if isinstance(part, list):
        return Texts(*(tuple(map(sys.intern, texts)) for texts in cast(list[list[str]], part)))
    if (stamp := part["stamp"]) is not None:
        part["stamp"] = Stamp(**{**stamp, "fingerprint": cast(Any, Fingerprint(**stamp["fingerprint"]))})
    return part


def pack(row: LogRow, parts: SharedParts) -> Packed:
    """The row as bytes; values that JSON does not have raise `TypeError` or `ValueError`."""
    texts = Texts(row.sample_ids, tuple(sorted({run.question for run in row.runs})))
    positions = {question: number for number, question in enumerate(texts.questions)}
    own = [len(row.runs), *(getattr(row, name) for name in _OWN)]
    runs = zlib.compress(json.dumps([_run(run, positions) for run in row.runs]).encode(), _FAST)
    head = {name: getattr(row, name) for name in _HEAD}
    return Packed(json.dumps(own).encode(), runs, parts.add(texts), parts.add(head))


def unpack(path: str, packed: Packed, parts: SharedParts) -> LogRow:
    """The row in `packed`, its runs still packed; raises `ValueError`, `TypeError` or `KeyError` for anything else."""
    sample_ids, questions = parts[packed.texts]
    count, *own = _decode(packed.own.decode())
    # Fields have no names here: a missing one would shift all that follow.
    if len(own) != len(_OWN):
        raise ValueError(f"{len(own)} fields")
    runs = PackedRuns(packed.runs, questions, count)
    return LogRow(*_in_order((path, runs, sample_ids, *_head_values(parts[packed.head]), *own)))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _run(run: RunRow, questions: dict[str, int]) -> list[Any]:
    special = {
        "scores": {name: _score(score) for name, score in run.scores.items()},
        "span": None if run.span is None else [moment.isoformat() for moment in run.span],
        "question": questions[run.question],
    }
    return [special[name] if name in special else getattr(run, name) for name in _RUN]


def _read_run(values: list[Any], questions: Sequence[str]) -> RunRow:
    item, epoch, scores, error, limit, total, working, usage, metadata, span, question, content = values
    text = questions[cast(int, question)]
    read = {name: _read_score(score) for name, score in scores.items()}
    times = None if span is None else (datetime.fromisoformat(span[0]), datetime.fromisoformat(span[1]))
    return RunRow(item, epoch, read, error, limit, total, working, usage, metadata, times, text, content)


def _score(score: ScoreRow) -> list[Any]:
    return [_outcome(score.outcome) if name == "outcome" else getattr(score, name) for name in _SCORE]


def _read_score(values: list[Any]) -> ScoreRow:
    value, outcome, answer, explanation, metadata = values
    read = Unscored(*cast(list[Any], outcome)) if isinstance(outcome, list) else Scored(outcome)
    return ScoreRow(value, read, answer, explanation, metadata)


def _outcome(outcome: Outcome) -> float | list[str]:
    return outcome.value if isinstance(outcome, Scored) else [outcome.fault, outcome.reason]
