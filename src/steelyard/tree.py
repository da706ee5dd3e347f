"""A folder as plain data: what an agent starts from and what it leaves behind, held in memory and never trusted.

Paths are relative, without `..`. A symbolic link that leads outside, a device, a fifo or a socket is dropped and
reported. Too many files or too many bytes make a tree unusable. Empty folders do not exist. Compiled Python
(`__pycache__`) is dropped: a forged file would run instead of the source that a reader sees.
"""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
import stat
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple, TypeAlias

from steelyard.errors import InputError, boundary

MAX_FILES = 20_000
MAX_BYTES = 64_000_000
"""Of all files together."""

_DROPPED = frozenset({"__pycache__", ".pytest_cache"})


@dataclass(frozen=True, slots=True)
class File:
    """One file, or one symbolic link."""

    data: bytes = b""
    executable: bool = False
    link: str | None = None
    """Where a symbolic link leads, relative and inside the tree."""


Tree: TypeAlias = Mapping[str, File]
"""Path → file; the order means nothing."""


class Gathered(NamedTuple):
    """A tree, and what was left out of it."""

    tree: dict[str, File]
    dropped: tuple[str, ...]


class TooLarge(InputError):
    """The tree has too many files or bytes."""


def safe_path(path: str) -> str | None:
    """`path`, normalized; None if it is absolute, empty, leads outside or is not a valid file name."""
    if not path or "\0" in path or path.startswith(("/", "~")) or "\\" in path:
        return None
    plain = posixpath.normpath(path)
    return None if plain in (".", "..") or plain.startswith("../") else plain


def read_tree(folder: Path, *, source: str, within: Path | None = None) -> dict[str, File]:
    """A trusted folder (a fixture, a configuration); anything in it that is not a plain file is bad input.

    A link that leads out of the folder is bad input too, unless it stays `within` another one: then it is a copy.
    """
    files: dict[str, File] = {}
    size = 0
    with boundary(InputError, f"cannot read {source}"):
        for path, entry in _walk(folder, "", within):
            files[path] = _trusted_file(entry, path, source, within)
            size += len(files[path].data)
            if len(files) > MAX_FILES or size > MAX_BYTES:
                raise InputError(f"{source} is too large")
    return files


def write_tree(folder: Path, tree: Tree) -> None:
    """Write the files of a tree into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, file in tree.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.link is not None:
            target.symlink_to(file.link)
        else:
            target.write_bytes(file.data)
            target.chmod(0o755 if file.executable else 0o644)


def refuse_special(folder: Path, source: str) -> None:
    """Raise for anything in a trusted folder that is neither a plain file nor a link."""
    with boundary(InputError, f"cannot read {source}"):
        for path, entry in _walk(folder, ""):
            if not entry.is_symlink() and not entry.is_file(follow_symlinks=False):
                raise InputError(f"{source}: {path} is not a regular file")


def _walk(folder: Path, prefix: str, within: Path | None = None) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name in _DROPPED:
                continue
            path = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), f"{path}/", within)
            elif entry.is_dir() and _copied(entry, path, within):
                yield from _walk(Path(entry.path), f"{path}/")
            else:
                yield path, entry


def _copied(entry: os.DirEntry[str], path: str, within: Path | None) -> bool:
    """Whether a link leads out of its folder, but not out of `within`."""
    if within is None or not entry.is_symlink() or leads_inside(path, str(Path(entry.path).readlink())):
        return False
    return Path(entry.path).resolve().is_relative_to(within)


def _trusted_file(entry: os.DirEntry[str], path: str, source: str, within: Path | None) -> File:
    mode = entry.stat(follow_symlinks=_copied(entry, path, within)).st_mode
    if stat.S_ISLNK(mode):
        target = str(Path(entry.path).readlink())
        if not leads_inside(path, target):
            raise InputError(f"{source}: {path} is a symbolic link that leads outside")
        return File(link=target)
    if not stat.S_ISREG(mode):
        raise InputError(f"{source}: {path} is not a regular file")
    return File(Path(entry.path).read_bytes(), bool(mode & 0o100))


def leads_inside(path: str, target: str) -> bool:
    """Whether a symbolic link at `path` stays inside the tree."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return bool(target) and not target.startswith("/") and joined != ".." and not joined.startswith("../")


def to_tar(tree: Tree) -> bytes:
    """The tree as a tar archive, the same bytes for the same tree."""
    buffer = io.BytesIO()
    # Sorted and without times or owners, because the hash of the archive is a cache key.
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, file in sorted(tree.items()):
            member = tarfile.TarInfo(path)
            member.mode = 0o755 if file.executable else 0o644
            if file.link is not None:
                member.type, member.linkname = tarfile.SYMTYPE, file.link
                archive.addfile(member)
            else:
                member.size = len(file.data)
                archive.addfile(member, io.BytesIO(file.data))
    return buffer.getvalue()


def from_tar(data: bytes) -> Gathered:
    """What an agent left behind, from an untrusted tar archive; `TooLarge` beyond the limits."""
    files: dict[str, File] = {}
    lost: list[str] = []
    size = count = 0
    # "r:" refuses compressed archives, which could unpack to any size.
    with boundary(InputError, "the archive is damaged"), tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            # Folders and links count too, because reading them also takes time.
            count += 1
            size += member.size if member.isreg() else 0
            if count > MAX_FILES or size > MAX_BYTES:
                raise TooLarge(f"more than {MAX_FILES:,} files or {MAX_BYTES // 1_000_000} MB")
            _take(archive, member, files, lost)
    return Gathered(files, tuple(sorted(lost)))


def _take(archive: tarfile.TarFile, member: tarfile.TarInfo, files: dict[str, File], lost: list[str]) -> None:
    path = safe_path(member.name)
    if member.isdir() or path is None or dropped(path):
        return
    if member.isreg():
        content = archive.extractfile(member)
        assert content is not None
        files[path] = File(content.read(), bool(member.mode & 0o100))
    elif member.issym() and leads_inside(path, member.linkname):
        files[path] = File(link=member.linkname)
    else:
        lost.append(f"{path} ({'a link that leads outside' if member.issym() else 'not a regular file'})")


def dropped(path: str) -> bool:
    """Whether a path is left out of every tree, as compiled Python is."""
    return not _DROPPED.isdisjoint(path.split("/"))


def under(path: str, folders: Iterable[str]) -> bool:
    """Whether `path` is one of `folders` or inside one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def without(tree: Tree, folders: Iterable[str]) -> dict[str, File]:
    """The tree without these paths and everything below them."""
    gone = tuple(folders)
    return {path: file for path, file in tree.items() if not under(path, gone)}


def only(tree: Tree, folders: Iterable[str]) -> dict[str, File]:
    """These paths and everything below them."""
    kept = tuple(folders)
    return {path: file for path, file in tree.items() if under(path, kept)}


def lay_over(tree: Tree, layer: Tree) -> dict[str, File]:
    """`tree` with `layer` copied over it; if a file and a folder share a path, the layer wins."""
    parents = {"/".join(path.split("/")[:depth]) for path in layer for depth in range(1, path.count("/") + 1)}
    kept = {path: file for path, file in tree.items() if path not in parents and not under(path, layer)}
    return {**kept, **layer}


def resolve(tree: Tree, path: str) -> File | None:
    """The file behind `path`, following links inside the tree only."""
    # A limit, because links may form a loop.
    for _ in range(8):
        file = tree.get(path)
        if file is None or file.link is None:
            return file
        step = safe_path(posixpath.join(posixpath.dirname(path), file.link))
        if step is None:
            return None
        path = step
    return None


def changes(before: Tree, after: Tree) -> dict[str, str]:
    """Path → `added`, `removed` or `changed`."""
    differing = {path: "added" for path in after if path not in before}
    differing |= {path: "removed" for path in before if path not in after}
    differing |= {path: "changed" for path in before if path in after and before[path] != after[path]}
    return dict(sorted(differing.items()))


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether `path` matches a pattern: a path, a folder, or a glob in which `*` also crosses folders."""
    return any(under(path, [pattern.rstrip("/")]) or fnmatchcase(path, pattern) for pattern in patterns)


def tree_hash(tree: Tree) -> str:
    """A short, stable hash of names, contents, modes and links."""
    total = hashlib.sha256()
    for path, file in sorted(tree.items()):
        for part in (path.encode("utf-8", "surrogateescape"), file_hash(file).encode()):
            # Prefixed with its length, so that different names and contents cannot add up to the same bytes.
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()[:16]


def file_hash(file: File) -> str:
    """A hash of one file's bytes, mode and link."""
    kind = b"link" if file.link is not None else b"exec" if file.executable else b"file"
    data = file.link.encode("utf-8", "surrogateescape") if file.link is not None else file.data
    return hashlib.sha256(kind + b"\0" + data).hexdigest()
