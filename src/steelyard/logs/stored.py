"""The samples of a log on this machine, a few at a time.

A sample in memory is many times larger than its text. So a log that is to be rewritten is never read whole: `light`
leaves out what only the sample itself needs, and `batches` gives whole samples, as many as fit into `BATCH` bytes of
text. Inspect reads each batch as a log in JSON of its own, so that whatever it does to a log that it reads is done here
too.
"""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, final

from typing_extensions import override

from steelyard.logs.archive import open_archive
from steelyard.logs.json_log import JsonLog

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

BATCH = 1 << 22
"""Bytes of text of the samples that are in memory at a time; more if a single one is longer."""

HISTORY = frozenset({"events", "events_data", "timelines", "transcript"})
"""Fields of a sample that say how its answer came about; no scorer of ours reads them."""

_TRANSCRIPT = HISTORY | {"messages", "output", "attachments"}

Key = tuple[str, int]
"""Id of a sample as text, and epoch."""

Texts = Callable[[Key], bytes]
"""Gives the text of a sample."""

_JSON = dict[str, Any]


def key_of(sample: EvalSample) -> Key:
    """What tells one sample of a log from another."""
    return str(sample.id), sample.epoch


def key_in(data: _JSON) -> Key:
    """The key of a sample, or of its summary, as it is written."""
    return str(data["id"]), int(data["epoch"])


def stored(path: Path) -> Stored:
    """The log at `path`, in the format that its name says."""
    return StoredJson(path) if path.suffix == ".json" else StoredArchive(path)


class Stored(ABC):
    """A log on this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.summaries: dict[Key, _JSON] = {}
        """Of the samples, if the log has them; known after `light`."""
        self._head: _JSON = {}
        self._sizes: dict[Key, int] = {}

    def light(self, see: Callable[[EvalSample], None] | None = None) -> EvalLog:
        """The log with samples that have no transcript; `see` is called with each while it still has its store."""
        samples: list[EvalSample] = []
        left_out = _TRANSCRIPT if see else _TRANSCRIPT | {"store"}
        for batch in self._cut((key_in(sample), _without(sample, left_out)) for sample in self._entries()):
            for sample in self._understood(batch).samples or []:
                if see:
                    see(sample)
                samples.append(sample.model_copy(update={"store": {}}))
        # The order in which Inspect writes samples.
        samples.sort(key=lambda sample: (sample.epoch, str(sample.id).zfill(20 if isinstance(sample.id, int) else 0)))
        return self._understood([]).model_copy(update={"samples": samples, "location": str(self.path)})

    def batches(self, keys: Iterable[Key], leave_out: frozenset[str] = frozenset()) -> Iterator[list[EvalSample]]:
        """Whole samples, or samples without some fields, as many at a time as fit into memory."""
        with self.texts() as text:
            entries = ((key, _without(cast(_JSON, json.loads(text(key))), leave_out)) for key in keys)
            for batch in self._cut(entries):
                yield self._understood(batch).samples or []

    def keys(self) -> set[Key]:
        """The samples, without understanding them."""
        return {key_in(sample) for sample in self._entries()}

    @abstractmethod
    def texts(self) -> AbstractContextManager[Texts]:
        """The texts of the samples that `light` came across."""

    @abstractmethod
    def can_copy(self, key: Key) -> bool:
        """Whether a sample can stand in a rewritten log of the same format as it is."""

    @abstractmethod
    def _entries(self) -> Iterator[_JSON]:
        """Every sample as it was written; `_head` and `_sizes` are complete afterwards."""

    def _cut(self, entries: Iterable[tuple[Key, _JSON]]) -> Iterator[list[_JSON]]:
        batch: list[_JSON] = []
        size = 0
        for key, sample in entries:
            if batch and size + self._sizes[key] > BATCH:
                yield batch
                batch, size = [], 0
            batch.append(sample)
            size += self._sizes[key]
        if batch:
            yield batch

    def _understood(self, samples: list[_JSON]) -> EvalLog:
        from inspect_ai.log import read_eval_log

        return read_eval_log(io.BytesIO(json.dumps({**self._head, "samples": samples}).encode()), format="json")


@final
class StoredArchive(Stored):
    """A log in the format `.eval`: a zip archive with a member for each sample."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._members: dict[Key, str] = {}

    @override
    def _entries(self) -> Iterator[_JSON]:
        with open_archive(str(self.path)) as archive:
            self._head, summaries = archive.members()
            if (reductions := archive.reductions()) is not None and self._head.get("results"):
                self._head["reductions"] = reductions
            self.summaries = {key_in(summary): summary for summary in summaries}
            for member, size in archive.sample_members().items():
                sample = cast(_JSON, json.loads(archive.sample_text(member)))
                self._members[key_in(sample)], self._sizes[key_in(sample)] = member, size
                yield sample

    @override
    @contextmanager
    def texts(self) -> Generator[Texts]:
        with open_archive(str(self.path)) as archive:
            yield lambda key: archive.sample_text(self._members[key])

    @override
    def can_copy(self, key: Key) -> bool:
        # A rewritten archive lists every sample in its summaries.
        return key in self.summaries


@final
class StoredJson(Stored):
    """A log in JSON."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._spans: dict[Key, tuple[int, int]] = {}
        self._old: set[Key] = set()

    @override
    def _entries(self) -> Iterator[_JSON]:
        with self.path.open("rb") as file:
            log = JsonLog(file, self._head, left_out=frozenset(), spans=self._spans)
            for sample in log.read():
                key = key_in(sample)
                self._sizes[key] = self._spans[key][1] - self._spans[key][0]
                if "score" in sample:
                    self._old.add(key)
                yield sample

    @override
    @contextmanager
    def texts(self) -> Generator[Texts]:
        with self.path.open("rb") as file:
            log = JsonLog(file, spans=self._spans)
            yield lambda key: log.text(*key)

    @override
    def can_copy(self, key: Key) -> bool:
        return key not in self._old  # the format before `scores`, which needs the header of its time


def _without(sample: _JSON, fields: frozenset[str]) -> _JSON:
    return {name: value for name, value in sample.items() if name not in fields}
