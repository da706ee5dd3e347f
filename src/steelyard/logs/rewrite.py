"""Writes a log anew with some of its samples edited, a few samples at a time; the others are copied as they are.

Inspect writes the header, and each batch of edited samples, as a log of its own; what it wrote is joined with the
copies. So the new log is what Inspect would have written, and no more than a batch of it is in memory at a time.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from steelyard.artifact import scratch_folder
from steelyard.logs.archive import open_archive
from steelyard.logs.json_log import JsonLog
from steelyard.logs.stored import Key, Stored, Texts, key_of, stored

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

    Edits = Mapping[Key, Callable[[EvalSample], EvalSample]]
    """What is done to a whole sample before it is written."""

Format = Literal["json", "eval"]

_ZSTANDARD = 93
"""The compression that Inspect uses, as zip archives number it."""


class _Piece(NamedTuple):
    """A sample, ready to be written."""

    key: Key
    text: bytes
    summary: dict[str, Any]


def rewrite(log: EvalLog, source: Stored, edits: Edits, target: Path, form: Format) -> None:
    """Write `log`, which is `source` without its transcripts and with its new header, to `target`."""
    keys = [key_of(sample) for sample in log.samples or []]
    same_format = source.path.suffix == f".{form}"
    anew = [key for key in keys if key in edits or not same_format or not source.can_copy(key)]
    with scratch_folder("steelyard-log-") as scratch:
        head = scratch / f"head.{form}"
        _write(log, [], head)
        parts = _parts(log, source.batches(anew), edits, scratch / f"part.{form}")
        (_join_json if form == "json" else _join_archive)(head, _pieces(keys, set(anew), parts, source), target)


def _parts(log: EvalLog, batches: Iterator[list[EvalSample]], edits: Edits, part: Path) -> Iterator[Stored]:
    """The samples to be written anew as logs, each in the place of the one before."""
    for batch in batches:
        _write(log, [edits[key_of(sample)](sample) if key_of(sample) in edits else sample for sample in batch], part)
        yield stored(part)


def _write(log: EvalLog, samples: list[EvalSample], path: Path) -> None:
    from inspect_ai.log import write_eval_log

    write_eval_log(log.model_copy(update={"samples": samples}), path)


def _pieces(keys: list[Key], anew: set[Key], parts: Iterator[Stored], source: Stored) -> Iterator[_Piece]:
    """Every sample in its order: those of the parts, which come in the same order, and copies from the source."""
    with source.texts() as copied, ExitStack() as stack:
        held: set[Key] = set()
        part, written = source, copied
        for key in keys:
            if key not in anew:
                yield _piece(key, source, copied)
                continue
            # The part in hand is closed first: the next one is written to the same file.
            if key not in held:
                stack.close()
                part = next(parts)
                held, written = part.keys(), stack.enter_context(part.texts())
            yield _piece(key, part, written)


def _piece(key: Key, place: Stored, texts: Texts) -> _Piece:
    return _Piece(key, texts(key), place.summaries.get(key, {}))


def _join_archive(head: Path, pieces: Iterator[_Piece], target: Path) -> None:
    summaries: list[dict[str, Any]] = []
    # `open_archive` also teaches zipfile this compression.
    with open_archive(str(head)) as header, zipfile.ZipFile(target, "w", _ZSTANDARD) as out:
        for (name, epoch), text, summary in pieces:
            out.writestr(f"samples/{name}_epoch_{epoch}.json", text)
            summaries.append(summary)
        out.writestr("summaries.json", json.dumps(summaries))
        # Header last, as Inspect writes it: a remote log is read from its end.
        for member, text in header.others():
            out.writestr(member, text)


def _join_json(head: Path, pieces: Iterator[_Piece], target: Path) -> None:
    with head.open("rb") as header, target.open("wb") as out:
        log = JsonLog(header)
        # There are no samples in the head: this only finds the place of their list.
        for _ in log.read():
            pass
        header.seek(0)
        out.write(header.read(log.list_span[0]) + b"[")
        for number, piece in enumerate(pieces):
            out.write((b",\n    " if number else b"\n    ") + piece.text)
        header.seek(log.list_span[1])
        out.write(b"\n  ]" + header.read())
