"""Reads header, summaries and samples straight from the zip archive that an `.eval` file is; design/0004 says why.

The file may come from anywhere, so a member that would unpack to more than any log needs is rejected.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from steelyard.artifact import opened
from steelyard.errors import LogError
from steelyard.location import Remote, is_remote
from steelyard.logs.remote import RangeFile, open_ranges
from steelyard.pythons import teach_zipfile_zstd

UNPACKED_LIMIT = 256_000_000
"""Bytes that all members read from one log may unpack to: 100,000 runs at 2.2 kB, the size of a usual summary."""

RATIO_LIMIT = 1_000
"""How many times its packed size a member may unpack to; usual logs reach about 5, logs of identical runs hundreds."""

RATIO_FREE = 16_000_000
"""Bytes below which the ratio is not checked."""

SAMPLE_LIMIT = 512_000_000
"""Bytes that one full sample may unpack to."""

VALUES_LIMIT = 16_000_000
"""Values in all members read from one log, counting commas in strings too: 100,000 runs with 160 each."""

_PIECE = 4_096
"""Bytes read at a time, so that a member that lies about its size is cut off early."""

_LOCAL_HEADER = 30 + 64
"""Bytes in front of a member's name and data in the archive, with room for its extra fields."""

_JSON = dict[str, Any]


@contextmanager
def open_archive(name: str, at: Remote | None = None) -> Generator[Archive]:
    """An `.eval` file, open; one behind a URL is read by range requests."""
    # Inspect packs its logs with Zstandard, which zipfile itself knows only since Python 3.14.
    teach_zipfile_zstd()
    with ExitStack() as stack:
        ranges = stack.enter_context(open_ranges(name, at)) if is_remote(name) else None
        source = cast(Any, ranges or stack.enter_context(opened(Path(name))))
        yield Archive(stack.enter_context(zipfile.ZipFile(source)), name, ranges)


class Archive:
    """One open log, and how much of its limits is used up."""

    def __init__(self, archive: zipfile.ZipFile, name: str, ranges: RangeFile | None = None) -> None:
        self._archive = archive
        self._name = name
        self._ranges = ranges
        self._infos = {info.filename: info for info in archive.infolist()}
        self._bytes = self._values = 0

    def members(self) -> tuple[_JSON, list[_JSON]]:
        """The header and the summaries."""
        self._fetch(name for name in ("header.json", "summaries.json") if name in self._infos)
        if "header.json" in self._infos:
            header = cast(_JSON, self._load("header.json"))
        else:  # unfinished or cut off: there is only the start record
            header = cast(_JSON, self._load("_journal/start.json"))
            header["status"] = "started"
        if "summaries.json" in self._infos:
            return header, cast(list[_JSON], self._load("summaries.json"))
        # By number: as text, part 10 would come before part 2.
        parts = sorted((name for name in self._infos if name.startswith("_journal/summaries/")), key=_part_number)
        for part in parts:
            self._fetch([part])
        return header, [row for part in parts for row in cast(list[_JSON], self._load(part))]

    def reductions(self) -> Any:
        """What the epochs of each sample were reduced to; None if the log does not say."""
        return self._load("reductions.json") if "reductions.json" in self._infos else None

    def sample(self, item: str, epoch: int) -> _JSON | None:
        """One full sample; None if the log does not have it."""
        info = self._infos.get(f"samples/{item}_epoch_{epoch}.json")
        return None if info is None else cast(_JSON, json.loads(self.sample_text(info.filename)))

    def sample_members(self) -> dict[str, int]:
        """Name of a member that is a sample → bytes of its text."""
        names = (name for name in self._infos if name.startswith("samples/") and name.endswith(".json"))
        return {name: self._infos[name].file_size for name in names}

    def sample_text(self, member: str) -> bytes:
        """The text of one sample."""
        info = self._infos[member]
        if info.file_size > SAMPLE_LIMIT:
            size = f"{info.file_size // 1_000_000} MB"
            raise LogError(f"{self._name}: {info.filename} would unpack to {size}")
        self._fetch([member])
        return self._archive.read(info)

    def others(self) -> Iterator[tuple[str, bytes]]:
        """Name and text of every member that is neither a sample nor a summary."""
        for name in self._infos:
            if not name.startswith(("samples/", "_journal/summaries/")) and name != "summaries.json":
                yield name, self._archive.read(name)

    def _fetch(self, members: Iterable[str]) -> None:
        """Fetch members of a remote log in one request if they lie side by side, as header and summaries do."""
        if self._ranges is None:
            return
        spans = sorted(self._span(self._infos[name]) for name in members)
        # A gap that is no larger than the members costs less to fetch than a second request.
        if len(spans) > 1 and spans[-1][1] - spans[0][0] <= 2 * sum(stop - start for start, stop in spans):
            spans = [(spans[0][0], spans[-1][1])]
        for start, stop in spans:
            # The room for a header is estimated, so the last span may reach past the end.
            self._ranges.fetch(start, min(stop, self._ranges.size))

    @staticmethod
    def _span(info: zipfile.ZipInfo) -> tuple[int, int]:
        size = _LOCAL_HEADER + len(info.filename.encode()) + info.compress_size
        return info.header_offset, info.header_offset + size

    def _load(self, member: str) -> Any:
        info = self._infos.get(member)
        if info is None:
            raise LogError(f"{self._name} has no {member}: it is not an eval log, or it is cut off")
        self._refuse_bomb(info)
        with self._archive.open(info) as source:
            data = b"".join(iter(lambda: source.read(_PIECE), b""))
        # Counted in the text: once parsed, the values would already fill the memory that the limit protects.
        self._values += sum(data.count(mark) for mark in (b"{", b"[", b","))
        if self._values > VALUES_LIMIT:
            raise LogError(f"{self._name}: {member} has more values than any log needs")
        return json.loads(data)

    def _refuse_bomb(self, info: zipfile.ZipInfo) -> None:
        # Added up over the members: parts of a journal that each fit may be too much together.
        self._bytes += info.file_size
        packed = max(info.compress_size, 1)
        bloated = info.file_size > RATIO_FREE and info.file_size > RATIO_LIMIT * packed
        if self._bytes > UNPACKED_LIMIT or bloated:
            size = f"{info.file_size // 1_000_000} MB from {packed // 1_000} kB"
            raise LogError(f"{self._name}: {info.filename} would unpack to {size}")


def _part_number(member: str) -> int:
    stem = member.rsplit("/", 1)[-1].removesuffix(".json")
    return int(stem) if stem.isdigit() else 0
