"""What differs between the releases of Python that Steelyard runs on (3.11.2 and later), and nothing else.

Each name here makes one difference disappear, so that the same input gives the same score on every release; a test per
name says which. What cannot be made equal is in docs/determinism.md.
"""

from __future__ import annotations

import importlib
import json
import os
import stat
import sys
import tarfile
from pathlib import Path

PLAIN_TRACEBACKS = {"PYTHON_COLORS": "0"}
"""For the environment of a program whose traceback is read. Python 3.13 and later colour it wherever `FORCE_COLOR` is
set, even to 0, which means "no colours" to Node."""

_TRAILING = {"object": "}", "array": "]"}


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpack `archive` into `folder` and nowhere else, as the filter `data` does, which 3.11.4 brought."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
        return
    root = os.path.realpath(folder)
    for member in archive:  # checked one by one: an earlier member may be a link that a later one goes through
        _refuse_outside(member, root)
        # The filter `data` changes the same bits.
        mode = member.mode & ~(stat.S_IWGRP | stat.S_IWOTH)
        member.mode = (mode | 0o600) & 0o755 if member.isreg() else 0o755
        archive.extract(member, root, set_attrs=not member.isdir(), numeric_owner=True)


def _refuse_outside(member: tarfile.TarInfo, root: str) -> None:
    """Refuse a member that is neither a file, a folder nor a link, or that is, or points, outside `root`."""
    places = [os.path.join(root, member.name)]
    if member.issym():
        places.append(os.path.join(root, os.path.dirname(member.name), member.linkname))
    elif member.islnk():
        places.append(os.path.join(root, member.linkname))
    known = member.isreg() or member.isdir() or member.issym() or member.islnk()
    absolute = os.path.isabs(member.name) or os.path.isabs(member.linkname)
    if not known or absolute or any(not _within(os.path.realpath(place), root) for place in places):
        raise tarfile.ExtractError(f"{member.name!r} is, or points, outside the archive")


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(os.path.join(root, ""))


def json_fault(error: json.JSONDecodeError) -> json.JSONDecodeError:
    """What is wrong with a text that is not JSON, as 3.13 and later say it: a trailing comma is named, at its place."""
    text, place = error.doc, error.pos
    before = text[:place].rstrip(" \t\n\r")
    kind = next((kind for kind, bracket in _TRAILING.items() if text[place : place + 1] == bracket), None)
    if kind is None or not before.endswith(","):
        return error
    return json.JSONDecodeError(f"Illegal trailing comma before end of {kind}", text, len(before) - 1)


def teach_zipfile_zstd() -> None:
    """Teach `zipfile` the compression of Inspect's logs, which it knows since 3.14."""
    if sys.version_info < (3, 14):
        importlib.import_module("zipfile_zstd")
