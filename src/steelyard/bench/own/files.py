"""Files inside the folder of a bench: nothing outside it is read, and nothing that is not a plain file."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath

from steelyard.artifact import read_bytes
from steelyard.errors import InputError

SIZE_LIMIT = 8_000_000
"""Bytes of the largest file that is read."""


def read_inside(folder: Path, name: str, limit: int = SIZE_LIMIT) -> str:
    """The UTF-8 text of the file `name` below `folder`; raises `InputError` that begins with `name`."""
    path = _inside(folder, name)
    data = read_bytes(path, limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, line {line}: not UTF-8 at byte {error.start}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _inside(folder: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise InputError(f"{name}: must be a path inside the folder")
    path = folder / name
    try:
        real = path.resolve(strict=True)
        regular = stat.S_ISREG(real.stat().st_mode)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or 'a loop of links'}") from error
    if not real.is_relative_to(folder.resolve()):
        raise InputError(f"{name}: is a link out of the folder")
    if not regular:
        raise InputError(f"{name}: is not a file")
    return path
