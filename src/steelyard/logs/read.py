"""Reads logs into frozen rows.

`read_logs` takes folders, globs, single files and URLs, and returns rows and problems: a broken log is reported by name
and does not stop the others. `.eval` files are read straight from the zip archive (header and summaries, no samples),
which is many times faster than the public functions (design/0004); a test checks that both give the same rows.
`open_log` gives the row of one log and its full samples on demand, from one opening.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from steelyard import __version__
from steelyard.artifact import opened
from steelyard.errors import LogError, boundary
from steelyard.location import Remote, is_remote, location, remote
from steelyard.logs.archive import open_archive
from steelyard.logs.find import Found, search
from steelyard.logs.find import find_logs as find_logs
from steelyard.logs.index import Entry, known_rows, remember, state_of_file
from steelyard.logs.json_log import JsonLog
from steelyard.logs.packed_rows import SharedParts, pack, unpack
from steelyard.logs.remote import NothingThereError
from steelyard.logs.row import log_row, run_row, run_rows, spec_of
from steelyard.logs.shards import without_shards
from steelyard.rows import LogRow, Logs, Problem

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

    from steelyard.location import Location

HEAVY_FIELDS = frozenset({"events", "events_data", "store", "timelines"})
"""Fields of a sample that no report of ours shows; `read_samples` leaves them out."""

NO_INDEX = "STEELYARD_NO_INDEX"
"""Environment variable that turns the index off; `--no-index` sets it."""

FULL = f"full {__version__}"
"""The view of a log as it is."""

_BATCH = 500
"""Rows that are entered into the index at a time."""

BLOCK = 1 << 22
"""Bytes of a remote log in JSON that are fetched and held at a time."""

_CONNECTIONS = 16
"""Remote logs that are read at a time: what costs time is waiting for the storage."""

_JSON = dict[str, Any]


def read_logs(
    where: Sequence[str | Location],
    keep: Callable[[LogRow], LogRow] = lambda row: row,
    visit: Callable[[OpenLog], None] | None = None,
    *,
    view: str | None = None,
    packed: bool = False,
) -> Logs:
    """All logs in `where`, each reduced by `keep`; raises `LogError` if there are none at all.

    `visit` is called with each log while it is open, so that its samples need no second opening. `view` names what
    `keep` leaves: rows of that view come from the index if their log has not changed, and such a log is not opened.
    `packed` leaves the runs of the rows packed, for folders whose runs do not fit into memory.
    """
    found = search(where)
    reader = _Reader(keep, visit, view, packed)
    logs = reader.read(found, _states(found) if view is not None else {})
    if not logs.rows and not logs.problems:
        raise LogError(f"no eval logs in {', '.join(map(str, where)) or 'an empty list'}")
    return without_shards(logs)


def read_found(found: Found) -> Logs:
    """The logs of a search as they are, from the index where it has them; their runs stay packed."""
    return _Reader(lambda row: row, None, FULL, packed=True).read(found, _states(found))


def rows_in(folder: Location) -> tuple[LogRow, ...]:
    """The logs in a folder that can be read, their runs packed; none if there is no such folder.

    A bucket has no folders: what another writer tries out (`ready_for_logs`) makes one, and it is gone a moment later.
    """
    with boundary(LogError, f"cannot list {folder}"):
        if not folder.is_dir():
            return ()
    try:
        return read_found(search([folder])).rows
    except LogError as error:
        if isinstance(error.__cause__, NothingThereError):
            return ()
        raise


class _Reader:
    """Reads logs, from the index where it can."""

    def __init__(
        self,
        keep: Callable[[LogRow], LogRow],
        visit: Callable[[OpenLog], None] | None,
        view: str | None,
        packed: bool,
    ) -> None:
        self._keep, self._visit, self._view, self._packed = keep, visit, view, packed
        self._parts = SharedParts()
        self._fresh: list[Entry] = []

    def read(self, found: Found, states: Mapping[str, str]) -> Logs:
        known = known_rows(states, self._view, self._parts) if self._view is not None else {}
        rows: list[LogRow] = []
        problems = list(found.problems)
        with self._reading_ahead([path for path in found.paths if path not in known and is_remote(path)]) as ahead:
            for path in found.paths:
                try:
                    row = known.pop(path, None)
                    if row is None:
                        read = ahead.pop(path).result if path in ahead else partial(self._open, path)
                        row = self._entered(read(), states.get(path, ""))
                    rows.append(row if self._packed else _unpacked(row))
                except LogError as error:
                    problems.append(Problem(path, str(error)))
        self._remember()
        return Logs(tuple(rows), tuple(problems))

    @contextmanager
    def _reading_ahead(self, remote_paths: Sequence[str]) -> Generator[dict[str, Future[LogRow]]]:
        """Path → a remote log that is being read, several at a time; nothing if each has to be visited in turn."""
        if self._visit is not None or len(remote_paths) < 2:
            yield {}
            return
        pool = ThreadPoolExecutor(_CONNECTIONS)
        try:
            # Located in this thread, which listed the logs: fsspec gives each thread its own connections and listings.
            yield {path: pool.submit(self._open, path, remote(path)) for path in remote_paths}
        finally:
            # An interrupt would otherwise wait until every other log is read.
            pool.shutdown(cancel_futures=True)

    def _open(self, path: str, at: Remote | None = None) -> LogRow:
        with open_log(path, at) as log:
            if self._visit is not None:
                self._visit(log)
            return self._keep(log.row)

    def _entered(self, row: LogRow, state: str) -> LogRow:
        """The row, packed where that is wanted, and noted for the index."""
        path = row.path
        if not state and not self._packed:
            return row
        try:
            packed = pack(row, self._parts)
        except (TypeError, ValueError):  # holds what JSON does not have: kept as it is, and read again next time
            return row
        if state:
            self._fresh.append(Entry(path, state, packed))
        if len(self._fresh) >= _BATCH:
            self._remember()
        return unpack(path, packed, self._parts) if self._packed else row

    def _remember(self) -> None:
        if self._view is not None:
            remember(self._fresh, self._view, self._parts)
        self._fresh = []


def _unpacked(row: LogRow) -> LogRow:
    return row if isinstance(row.runs, tuple) else replace(row, runs=tuple(row.runs))


def _states(found: Found) -> dict[str, str]:
    """Path → version, taken before the logs are read: a later change must show."""
    return {path: found.states.get(path) or state_of_file(path) for path in found.paths} if _indexed() else {}


def _indexed() -> bool:
    return not os.environ.get(NO_INDEX)


def read_log(path: str | Location) -> LogRow:
    """One log as a row; raises `LogError` if it is damaged, too incomplete to read, or not a log."""
    with open_log(path) as log:
        return log.row


def read_samples(path: str | Location, only: Iterable[Run] | None = None) -> Iterator[EvalSample]:
    """The full samples of one log, or those of some runs, one at a time."""
    with open_log(path) as log:
        yield from log.samples(only)


Run = tuple[str, int]
"""Id of an item, and epoch."""


@dataclass(frozen=True, slots=True)
class OpenLog:
    """A log while it is open."""

    row: LogRow
    _sample: Callable[[str, int], EvalSample | None]

    def samples(self, only: Iterable[Run] | None = None) -> Iterator[EvalSample]:
        """The full samples in the order of the log, or those of some runs; runs that are missing are skipped."""
        with boundary(LogError, f"cannot read the samples of {self.row.path}"):
            for item, epoch in _all_runs(self.row) if only is None else only:
                sample = self._sample(item, epoch)
                if sample is not None:
                    yield sample


@contextmanager
def open_log(path: str | Location, at: Remote | None = None) -> Generator[OpenLog]:
    """A log with its row, and with its samples on demand; raises `LogError` like `read_log`.

    `at` is the place of a remote log as the thread that listed it has it.
    """
    name = str(path) if is_remote(path) else str(location(path))
    with ExitStack() as stack:
        if name.endswith(".eval"):
            with _reading(name):
                archive = stack.enter_context(open_archive(name, at))
                header, summaries = archive.members()
                row = log_row(name, header, run_rows(summaries))
            yield OpenLog(row, lambda item, epoch: _validated(archive.sample(item, epoch)))
        else:
            with _reading(name):
                log = JsonLog(stack.enter_context(_open_text(name, at)))
                # Before the header is used: its fields behind the samples are known only once all samples are read.
                runs = [run_row(_summary(sample, log.header)) for sample in log.read()]
                row = log_row(name, _header(name, log.header), runs)
            yield OpenLog(row, lambda item, epoch: _validated(log.sample(item, epoch), log.header))


def _open_text(name: str, at: Remote | None) -> BinaryIO:
    """A log in JSON, which is read from its beginning to its end; one behind a URL is fetched piece by piece."""
    if not is_remote(name):
        return opened(Path(name))
    files, path = at or remote(name)
    return files.open(path, "rb", cache_type="readahead", block_size=BLOCK)


@contextmanager
def _reading(name: str) -> Generator[None]:
    """Turns every failure into a `LogError` that names the log."""
    try:
        with boundary(LogError, f"cannot read {name}"):
            yield
    except LogError as error:
        if name in str(error):
            raise
        raise LogError(f"cannot read {name}: {error}") from error


def _all_runs(row: LogRow) -> list[Run]:
    if row.sample_ids:
        return [(item, epoch) for item in row.sample_ids for epoch in range(1, row.epochs + 1)]
    return [(run.id, run.epoch) for run in row.runs]


def _validated(data: _JSON | None, header: _JSON | None = None) -> EvalSample | None:
    from inspect_ai.log import resolve_sample_attachments

    return None if data is None else resolve_sample_attachments(_sample(data, header), "full")


def _sample(data: _JSON, header: _JSON | None) -> EvalSample:
    from inspect_ai.log import EvalLog, EvalSample

    light = {name: value for name, value in data.items() if name not in HEAVY_FIELDS}
    if "score" in light and header is not None:  # of an old format: the name of the scorer is in the header
        [sample] = EvalLog.model_validate({**header, "samples": [light]}).samples or []
        return sample
    return EvalSample.model_validate(light)


def _summary(data: _JSON, header: _JSON) -> _JSON:
    return _sample(data, header).summary().model_dump(mode="json")


def _header(path: str, header: _JSON) -> _JSON:
    """The header of a log in JSON, older formats in the present one."""
    from inspect_ai.log import EvalLog

    spec_of(path, header)
    return EvalLog.model_validate(header).model_dump(mode="json", exclude_none=True)
