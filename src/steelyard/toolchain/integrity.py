"""Whether installed files are still the ones that were installed.

A complete folder carries a marker file with the size and SHA-256 of every file in it, and a digest of that list. A
thorough check hashes everything. A quick one compares all sizes and hashes only what changed after the marker was
written, which the kernel records in a time that no program can set: it takes a tenth of a second for 8,000 files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

MARKER = ".complete"
"""The file in a folder that says the folder is complete, and what it contains."""
_QUICK_LIMIT = 500
"""Changed files that a quick check hashes; a copied folder has only changed files, and a sample must do."""


class File(NamedTuple):
    """What is known about a file."""

    size: int
    """In bytes."""
    sha256: str
    """Hexadecimal."""


def seal(folder: Path, without: tuple[str, ...] = ()) -> None:
    """Record all files of `folder` in its marker; `without` names top-level entries that may change later."""
    listed = {str(path.relative_to(folder)): _known(path) for path in _files(folder, without)}
    body = json.dumps(listed, sort_keys=True, separators=(",", ":"))
    (folder / MARKER).write_text(f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n", "utf-8")
    (folder / MARKER).chmod(0o644)


def sealed(folder: Path) -> bool:
    """Whether the folder has a record of its files; a folder of an earlier version has an empty marker."""
    return (folder / MARKER).stat().st_size > 0


def damage(folder: Path, *, thorough: bool) -> str | None:
    """The damage to a sealed folder, in a few words; None if it is intact."""
    try:
        marker = (folder / MARKER).stat()
        digest, _, body = (folder / MARKER).read_text("utf-8").partition("\n")
    except (OSError, UnicodeDecodeError) as error:
        return f"its list of files cannot be read ({error})"
    if hashlib.sha256(body.rstrip("\n").encode()).hexdigest() != digest:
        return "its list of files is damaged" if body or digest else "it has no list of files"
    listed = {folder / name: File(*known) for name, known in json.loads(body).items()}
    return summary(changed(listed, since_ns=None if thorough else marker.st_ctime_ns), folder)


def changed(listed: Mapping[Path, File], *, since_ns: int | None) -> list[Path]:
    """Files that are missing or differ; with `since_ns` only files changed after that moment are hashed."""
    different: list[Path] = []
    hashed = 0
    for path, known in listed.items():
        try:
            status = os.stat(path)
            if status.st_size != known.size:
                different.append(path)
            elif since_ns is None or (status.st_ctime_ns > since_ns and hashed < _QUICK_LIMIT):
                hashed += 1
                different += [path] if _known(path).sha256 != known.sha256 else []
        except OSError:
            different.append(path)
    return different


def summary(different: list[Path], folder: Path) -> str | None:
    """Which files differ, as part of a sentence; None if none does."""
    if not different:
        return None
    first = different[0].relative_to(folder)
    more = f" and {len(different) - 1} more" if len(different) > 1 else ""
    return f"{first}{more} {'are' if more else 'is'} missing or changed"


def _files(folder: Path, without: tuple[str, ...]) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        if place == str(folder):
            folders[:] = [name for name in folders if name not in without]
            names = [name for name in names if name not in (*without, MARKER)]
        for name in sorted(names):
            path = Path(place) / name
            if path.is_file():
                yield path


def _known(path: Path) -> File:
    with path.open("rb") as file:
        return File(os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest())
