"""Remote logs: listed once, and read by range requests, so that a board never downloads the samples.

An `.eval` file is a zip archive with its directory at the end, and header and summaries just before it. The end is
fetched first; whatever else is needed is fetched in one more request. Every request is tied to the version of the
object that was listed, so that two versions are never mixed.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from steelyard.location import Remote, remote

TAIL = 16_384
"""Bytes at the end of a log that are fetched first: its directory, its header, and the summaries of a short log."""

PIECE = 16_384
"""Bytes that a request for less is extended to."""


class Listed(NamedTuple):
    """An object in a listing."""

    url: str
    state: str
    """What tells one version of it from another; empty if the storage does not say."""


class NothingThereError(FileNotFoundError):
    """There is no object below a URL, though its bucket can be listed."""


def list_files(url: str) -> Iterator[Listed]:
    """The files below a URL, or in what matches it as a glob, as they are now."""
    files, path = remote(url)
    # fsspec would repeat an earlier listing otherwise.
    files.invalidate_cache()
    # As a name first, because `*`, `?` and `[` may be part of one.
    found = files.find(path, detail=True)
    if not found and is_glob(path):
        for match, info in files.glob(path, detail=True).items():
            found |= files.find(match, detail=True) if info.get("type") == "directory" else {match: info}
    elif not found and not files.exists(path):
        _refuse_missing(files, path)
    for name, info in found.items():
        yield Listed(str(files.unstrip_protocol(name)), state_of(info))


def _refuse_missing(files: Any, path: str) -> None:
    """Raise with the reason: no such bucket, no such folder, no permission, no connection."""
    try:
        # `find` gives nothing and no reason; `ls` raises with one.
        files.ls(path)
    except FileNotFoundError as error:
        if path.strip("/") == str(error).strip("/"):  # fsspec names the place and no reason
            raise NothingThereError("there is nothing below this URL") from error
        raise


def state_of(info: dict[str, Any]) -> str:
    """What tells one version of an object from another: its ETag, else its time and size."""
    version = info.get("ETag") or info.get("etag") or info.get("LastModified") or info.get("mtime")
    version = version or info.get("updated") or info.get("created")
    return f"{version} {info.get('size')}" if version else ""


def remote_state(url: str) -> str:
    """The version of one object as it is now."""
    files, path = remote(url)
    files.invalidate_cache(path)
    return state_of(files.info(path))


def is_glob(path: str) -> bool:
    """Whether a path has marks of a pattern; it may be a name nevertheless."""
    return any(mark in path for mark in "*?[")


@contextmanager
def open_ranges(url: str, at: Remote | None = None) -> Generator[RangeFile]:
    """A remote file, open; one that changed since it was listed is opened as it is now.

    `at` is where it is, from the thread that listed it: fsspec gives each thread connections and listings of its own.
    """
    files, path = at or remote(url)
    # No cache of fsspec's: `RangeFile` keeps what it fetched, and fetches no more than it needs.
    with files.open(path, "rb", cache_type="none") as source:
        file = RangeFile(source)
        # A version that is gone cannot be fetched; then nothing is here, and the file is opened as it is now.
        with suppress(OSError):
            file.fetch(max(0, file.size - TAIL), file.size)
        if file.is_empty:  # replaced since it was listed
            files.invalidate_cache()
            source = files.open(path, "rb", cache_type="none")
            file = RangeFile(source)
            file.fetch(max(0, file.size - TAIL), file.size)
        with source:
            yield file


class RangeFile(io.RawIOBase):
    """A remote file of which only the parts that are read are fetched, each once."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._position = 0
        self._parts: list[tuple[int, bytes]] = []
        self.size = int(source.size)
        """Bytes of the whole file."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been fetched of a file that has something."""
        return self.size > 0 and not self._parts

    def fetch(self, start: int, stop: int) -> None:
        """Fetch a range that will be read, unless it is here."""
        if start < stop and self._held(start, stop) is None:
            self._source.seek(start)
            self._parts.append((start, self._source.read(stop - start)))

    def _held(self, start: int, stop: int) -> bytes | None:
        for first, data in self._parts:
            if first <= start and stop <= first + len(data):
                return data[start - first : stop - first]
        return None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._position = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        if self._position < 0:
            raise OSError("the position is before the start of the file")
        return self._position

    def read(self, size: int | None = -1) -> bytes:
        start = self._position
        stop = self.size if size is None or size < 0 else min(start + size, self.size)
        if start >= stop:
            return b""
        data = self._held(start, stop)
        if data is None:
            self.fetch(start, min(max(stop, start + PIECE), self.size))
            data = self._held(start, stop) or b""
        self._position = start + len(data)
        return data
