"""Reads a log in JSON sample by sample: the text of one sample is in memory at a time, and no other.

A value of JSON in memory is many times larger than its text, and a log is one text. So the text is read piece by piece;
each field of the log, and each sample, is parsed as soon as it is complete.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

from steelyard.errors import LogError

PIECE = 1 << 18
"""Bytes that are read at a time; more if a sample is longer."""

# Python's own parser, because others do not know NaN, which is what Inspect writes for a run without a score.
_decode = json.JSONDecoder().raw_decode

_JSON = dict[str, Any]


@dataclass(slots=True)
class JsonLog:
    """An open log in JSON."""

    file: BinaryIO
    header: _JSON = field(default_factory=dict[str, Any])
    """Its fields without the samples; those after the samples are missing until all of them have been read."""
    left_out: frozenset[str] = frozenset({"reductions"})
    """Fields of a log, beside its samples, that no report of ours needs."""
    spans: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict[tuple[str, int], tuple[int, int]])
    """Id and epoch of a sample that has been read → the bytes where it begins and ends."""
    list_span: tuple[int, int] = (0, 0)
    """The bytes where the list of samples begins and ends, once it has been read."""

    def read(self) -> Iterator[_JSON]:
        """Every sample, as it was written; the header is complete afterwards."""
        text = _Text(self.file)
        for name in text.members():
            if name == "samples" and text.next_mark() == "[":
                begin = text.offset
                for start, sample, stop in text.elements():
                    self.spans[str(sample.get("id")), cast(int, sample.get("epoch"))] = start, stop
                    yield sample
                self.list_span = begin, text.offset
            elif (value := text.value()) is not None and name not in self.left_out:
                self.header[name] = value

    def sample(self, item: str, epoch: int) -> _JSON | None:
        """One sample that `read` came across; None if there was none."""
        return cast(_JSON, json.loads(self.text(item, epoch))) if (item, epoch) in self.spans else None

    def text(self, item: str, epoch: int) -> bytes:
        """The text of one sample that `read` came across."""
        start, stop = self.spans[item, epoch]
        self.file.seek(start)
        return self.file.read(stop - start)


class _Text:
    """A text in JSON of which only the part that is being parsed is in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        # Incremental, because a piece may end in the middle of a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = self.offset = 0
        self._ended = False

    def members(self) -> Iterator[str]:
        """The names in an object; whoever takes one reads its value next."""
        for _ in self._parts("{", "}"):
            name = self.value()
            if not isinstance(name, str):
                raise LogError("it is not a log: a field has no name")
            self._expect(":")
            yield name

    def elements(self) -> Iterator[tuple[int, _JSON, int]]:
        """The objects of a list, each between the bytes where it begins and ends."""
        for _ in self._parts("[", "]"):
            self.next_mark()
            start, value = self.offset, self.value()
            if not isinstance(value, dict):
                raise LogError("it is not a log: a sample is not an object")
            yield start, cast(_JSON, value), self.offset

    def value(self) -> Any:
        """The value that comes next."""
        self.next_mark()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except ValueError:
                # Wrong, or only cut off by the end of the piece: more text decides.
                if self._ended:
                    raise
            else:
                # At the end of what is here, a number may go on.
                if self._ended or end < len(self._text):
                    self._advance(end)
                    return value
            self._read_on()

    def next_mark(self) -> str:
        """The character that comes next after white space; empty at the end of the text."""
        while True:
            # Only a few characters at a time: behind them there may be megabytes, which would be copied.
            rest = self._text[self._at : self._at + 64].lstrip(" \t\r\n")
            if rest:
                self._advance(self._text.index(rest[0], self._at))
                return rest[0]
            if self._at < len(self._text):
                self._advance(min(self._at + 64, len(self._text)))
            elif self._ended:
                return ""
            else:
                self._read_on()

    def _parts(self, first: str, last: str) -> Iterator[None]:
        self._expect(first)
        if self.next_mark() == last:
            self._expect(last)
            return
        while True:
            yield
            if self.next_mark() == last:
                self._expect(last)
                return
            self._expect(",")

    def _expect(self, mark: str) -> None:
        if self.next_mark() != mark:
            raise LogError(f"it is cut off or not JSON: {mark!r} expected at byte {self.offset}")
        self._advance(self._at + 1)

    def _advance(self, to: int) -> None:
        # In bytes, so that a sample can be found in the file again; `_at` counts characters.
        self.offset += len(self._text[self._at : to].encode())
        self._at = to

    def _read_on(self) -> None:
        """Read as much again as is waiting to be parsed, so that a long value is not parsed too often in vain."""
        rest = self._text[self._at :]
        data = self._file.read(max(PIECE, len(rest)))
        self._ended = not data
        self._text, self._at = rest + self._decoder.decode(data, final=self._ended), 0
