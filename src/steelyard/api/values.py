"""What callers may give for the fields of a spec: converters, and the callbacks of progress."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import InputError, boundary
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.location import Location
else:
    Location = Any

Notify = Callable[[str], None]
"""Called with one line of progress."""

Progress = Callable[[str, int, int], None]
"""Called with what is running, how much of it has ended, and out of how much."""


def silent(*_: object) -> None:
    """Nobody wants to know."""


def file(value: str | Path) -> Path:
    """A path that must be given, also from text; `location` is the same for URLs."""
    return Path(value)


def new_folder(value: str | Path) -> Path:
    """A folder to write into, which may not be there yet."""
    if (given := Path(value)).is_file():
        raise InputError(f"{given} is a file", cure="name a folder")
    return given


def keeper(value: str | None) -> str | None:
    """Where runs or attempts are kept, for good: a folder, a URL, or `git:REF`."""
    # Found here: at the end of a comparison that could not be kept, its runs would have been paid for.
    if value is not None and not value.startswith("git:") and isinstance(where := location(value), Path):
        new_folder(where)
    return value


def path(value: str | Path | None) -> Path | None:
    """A path, also from text."""
    return None if value is None else Path(value)


def paths(value: str | Path | Iterable[str | Path]) -> tuple[Path, ...]:
    """Paths, also from one alone."""
    return tuple(Path(each) for each in _several(value))


def place(value: str | Location | None) -> Location | None:
    """A path or a URL, also from text."""
    return None if value is None else location(value)


def places(value: str | Location | Iterable[str | Location]) -> tuple[Location, ...]:
    """Paths or URLs, also from one alone."""
    return tuple(location(each) for each in _several(value))


def sources(value: str | Location | Iterable[str | Location]) -> tuple[str, ...]:
    """Folders, files, globs, or URLs of any of these (`s3://…`), also from one alone."""
    return tuple(str(each) for each in _several(value))


def day(value: str | date | None) -> date | None:
    """A date, also from text (2026-12-31)."""
    try:
        given = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError as error:
        raise InputError(f"{value!r} is not a date", cure="for example 2026-12-31") from error
    return given.date() if isinstance(given, datetime) else given


def texts(value: str | Iterable[str]) -> tuple[str, ...]:
    """Texts, also from one alone: a text is never read letter by letter."""
    return tuple(_several(value))


def words(command: str) -> tuple[str, ...]:
    """A command line as program and arguments."""
    with boundary(InputError, "the command cannot be split into words"):
        return tuple(shlex.split(command))


def pairs(value: Mapping[str, Any] | Iterable[tuple[str, Any]] | None) -> dict[str, Any]:
    """Settings by name, as a mapping or as pairs."""
    return dict(value or ())


def _several(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    # A string is iterable too, but it stands for one value.
    return cast(Any, value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
