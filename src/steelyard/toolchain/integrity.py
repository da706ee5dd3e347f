"""Whether installed files are still the ones that were installed.

A complete folder carries a marker file with the size, SHA-256 and mode of everything in it, and a digest of that list.
What became a link or unreadable is damage like any other: a sandbox, which is another user in another tree, misses it.
So is a file that is not in the list: it does not belong there, or the list has lost it.
A thorough check hashes everything. A quick one compares all sizes and modes and hashes only what changed after the
marker was written, which the kernel records in a time that no program can set: it takes a third of a second for 12,000
files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

MARKER = ".complete"
"""The file in a folder that says the folder is complete, and what it contains."""
_KIND, _OPEN = 0o170000, 0o555
"""Bits of a mode: what it is, and who may read and enter it."""


class File(NamedTuple):
    """What is known about a file."""

    size: int
    """In bytes."""
    sha256: str
    """Hexadecimal; empty for a folder."""
    mode: int = 0
    """Its kind, and who may read and enter it; 0 if that was not recorded."""


def seal(folder: Path, without: tuple[str, ...] = ()) -> None:
    """Record all files of `folder` in its marker; `without` names top-level entries that may change later."""
    listed = {str(path.relative_to(folder)): _known(path) for path in _contents(folder, without)}
    body = json.dumps(listed, sort_keys=True, separators=(",", ":"))
    (folder / MARKER).write_text(f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n", "utf-8")
    (folder / MARKER).chmod(0o644)


def sealed(folder: Path) -> bool:
    """Whether the folder has a record of its files; a folder of an earlier version has an empty marker."""
    return (folder / MARKER).stat().st_size > 0


def damage(folder: Path, *, thorough: bool, without: tuple[str, ...] = ()) -> str | None:
    """The damage to a folder that was sealed `without` these entries, in a few words; None if it is intact."""
    try:
        marker = (folder / MARKER).lstat()
        if not stat.S_ISREG(marker.st_mode):
            return "its list of files is not a plain file"
        digest, _, body = (folder / MARKER).read_text("utf-8").partition("\n")
    except (OSError, UnicodeDecodeError) as error:
        return f"its list of files cannot be read ({error})"
    if hashlib.sha256(body.rstrip("\n").encode()).hexdigest() != digest:
        return "its list of files is damaged" if body or digest else "it has no list of files"
    try:
        listed = {folder / name: File(*known) for name, known in json.loads(body).items()}
    except (AttributeError, RecursionError, TypeError, ValueError):
        return "its list of files is of another version"
    if not listed:
        return "its list of files is empty"
    different = changed(listed, since_ns=None if thorough else marker.st_ctime_ns)
    if not different and (stranger := _stranger(folder, set(map(str, listed)), without)):
        return f"{os.path.relpath(stranger, folder)} is not in its list of files"
    if not different and folder.stat().st_ctime_ns > marker.st_ctime_ns:
        with contextlib.suppress(OSError):  # the cache of another user: then every start takes the time
            # In a copied folder everything is newer than the marker; touched, it saves the next start all the hashing.
            os.utime(folder / MARKER)
    return summary(different, folder)


def changed(listed: Mapping[Path, File], *, since_ns: int | None) -> list[Path]:
    """Files that are missing or differ; with `since_ns` only files changed after that moment are hashed."""
    different: list[Path] = []
    for path, known in listed.items():
        try:
            status = os.stat(path)
            if _replaced(path, status, known):
                different.append(path)
            elif known.sha256 and (since_ns is None or status.st_ctime_ns > since_ns):
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


def _replaced(path: Path, status: os.stat_result, known: File) -> bool:
    """Whether the size or kind is another one than recorded, or somebody who could read it cannot any more."""
    mode = os.lstat(path).st_mode if known.mode else status.st_mode
    other_kind = known.mode and stat.S_IFMT(mode) != stat.S_IFMT(known.mode)
    closed = (known.mode or stat.S_IRUSR) & _OPEN & ~mode
    return bool(other_kind or closed or (known.sha256 and status.st_size != known.size))


def _stranger(folder: Path, listed: set[str], without: tuple[str, ...]) -> str | None:
    """A file, or a link to anything, that is not among the listed ones; folders as such do no harm."""
    others = (path for path in _paths(folder, without) if path not in listed)
    return next((path for path in others if os.path.isfile(path) or os.path.islink(path)), None)


def _contents(folder: Path, without: tuple[str, ...]) -> Iterator[Path]:
    return (path for path in map(Path, _paths(folder, without)) if path.exists())


def _paths(folder: Path, without: tuple[str, ...]) -> Iterator[str]:
    """The paths of everything in a folder but its marker and the top-level entries `without`."""
    for place, folders, names in os.walk(folder):
        if place == str(folder):
            folders[:] = [name for name in folders if name not in without]
            names = [name for name in names if name not in (*without, MARKER)]
        yield from (os.path.join(place, name) for name in sorted((*folders, *names)))


def _known(path: Path) -> File:
    mode = os.lstat(path).st_mode & (_KIND | _OPEN)
    if path.is_dir():
        return File(0, "", mode)
    with path.open("rb") as file:
        return File(os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest(), mode)
