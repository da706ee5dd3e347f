"""Where files are: on this machine, or behind a URL that fsspec knows (`s3://`, `gs://`, …).

`Path("s3://bucket/logs")` is a local folder named `s3:`, so text from outside goes through `location` first. Nothing
here creates a bucket: writing into one that does not exist is an error.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from steelyard.errors import InputError, boundary

if TYPE_CHECKING:
    from upath import UPath

    Location = Path | UPath
    """A place on this machine, or a URL."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/(?!/)")
"""How a URL begins after `Path` removed one of its slashes."""

_LOCAL = frozenset({"file", "local"})
"""Schemes of files on this machine."""


class Remote(NamedTuple):
    """A URL as fsspec takes it."""

    files: Any
    """The file system."""
    path: str
    """The place in it, without the scheme."""


def location(place: str | Location) -> Location:
    """The place that `place` names; a URL of this machine becomes its path.

    Raises:
        InputError: The scheme is unknown or needs a package that is not installed, or the URL holds a password.
    """
    text = str(place)
    _refuse_password(text)
    if "://" not in text:
        # A local folder may really be called `s3:`.
        if _SCHEME.match(text) and not Path(text).exists():
            raise InputError(f"{text} is a URL that lost a slash", cure="pass a URL as text with ://, not as a Path")
        return Path(text) if isinstance(place, str) else place
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower()
    if scheme in _LOCAL:
        return _path_in(text)
    return _remote_path(f"{scheme}://{rest}", scheme)


def _refuse_password(text: str) -> None:
    """A password in a URL would stand in the history of the shell, in logs and in reports."""
    scheme, _, rest = text.partition("://")
    user, separator, _ = rest.partition("/")[0].rpartition("@")
    if separator and ":" in user:
        cure = "take it out; credentials come from the environment, or from the provider's own file"
        raise InputError(f"a URL that begins with {scheme}:// holds a password", cure=cure)


def _path_in(url: str) -> Path:
    with boundary(InputError, f"cannot use {url}"):
        host, path = urlsplit(url)[1:3]
    if host not in ("", "localhost"):
        raise InputError(
            f"cannot use {url}: {host} is not a folder but a machine there", cure=f"file:///… or {host}{path}"
        )
    return Path(unquote(path))


def is_remote(place: str | Location) -> bool:
    """Whether a place is behind a URL; a URL of this machine is not."""
    scheme, separator, _ = str(place).partition("://")
    return bool(separator) and scheme.lower() not in _LOCAL


def local(place: str | Location, what: str) -> Path:
    """A place on this machine; raises `InputError` for a URL, calling it `what`."""
    if is_remote(place):
        _refuse_password(str(place))
        raise InputError(f"{what} cannot be read from {place}", cure="copy it to this machine; only logs may be URLs")
    return Path(str(location(place)))


def require_folder(place: Location, what: str = "a directory", cure: str | None = None) -> None:
    """Raise unless a folder is there; what is missing altogether is said to be, whatever it was to be."""
    if not place.is_dir():
        raise InputError(f"{place} {f'is not {what}' if place.exists() else 'does not exist'}", cure=cure)


def remote(url: str | Location) -> Remote:
    """The file system and the path of a URL."""
    import fsspec.core

    files, path = fsspec.core.url_to_fs(str(url))
    return Remote(files, str(path))


def names_in(folder: Location) -> list[str]:
    """What lies directly in a folder, by name, as it is now; nothing if it does not exist."""
    if isinstance(folder, Path):
        return sorted(os.listdir(folder)) if folder.is_dir() else []
    files, path = remote(folder)
    # Other machines write there too.
    files.invalidate_cache()
    try:
        found = files.ls(path, detail=False)
    except FileNotFoundError:
        return []
    return sorted({str(each).rstrip("/").rpartition("/")[2] for each in found} - {""})


def _remote_path(text: str, scheme: str) -> UPath:
    import fsspec
    from upath import UPath

    try:
        fsspec.get_filesystem_class(scheme)
    except ImportError as error:
        raise InputError(f"cannot use {text}: {error}", cure=f"install what {scheme}:// needs") from error
    except ValueError as error:
        raise InputError(f"cannot use {text}: unknown scheme {scheme}://", cure="use a path, or s3://…") from error
    with boundary(InputError, f"cannot use {text}"):
        return UPath(text)
