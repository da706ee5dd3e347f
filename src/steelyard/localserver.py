"""A web server for this machine only, which pages of other sites cannot use through the reader's browser.

It listens on 127.0.0.1. A request is refused unless its `Host` is this machine by name or address (so that a foreign
name that resolves to 127.0.0.1 reaches nothing) and its `Origin`, if it has one, is that same host. The port of the
`Host` is not compared: through an SSH tunnel it is another one. Paths with control characters are refused, and nothing
that a client sends or omits prints a traceback.
"""

from __future__ import annotations

import functools
import http.server
import os
import re
import sys
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from steelyard.errors import InputError, boundary
from steelyard.location import require_folder

ADDRESS = "127.0.0.1"
"""The only address that is listened on."""

_OWN_NAMES = frozenset({ADDRESS, "localhost", "::1"})
_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")
_IDLE_S = 60
"""Seconds after which a connection that sends nothing is closed."""


class LocalHandler(http.server.BaseHTTPRequestHandler):
    """Answers requests of this machine; subclasses define `do_GET` and so on."""

    timeout = _IDLE_S
    server_version = "Steelyard"
    sys_version = ""

    def parse_request(self) -> bool:
        """Refuses foreign requests before any method is called."""
        if not super().parse_request():
            return False
        refusal = refused(self.path, self.headers)
        if refusal:
            self.send_error(HTTPStatus.FORBIDDEN, refusal)
        return not refusal

    def end_headers(self) -> None:
        """Adds the headers that every answer has."""
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: the terminal belongs to the command."""


class FolderHandler(LocalHandler, http.server.SimpleHTTPRequestHandler):
    """Serves the regular files of one folder: no listings, and no links that lead out of it."""

    def do_GET(self) -> None:
        """Sends a file, or the one range of bytes that is wanted: Inspect's log viewer reads logs in pieces."""
        target = self._target()
        span = byte_range(self.headers.get("Range", ""), target.stat().st_size) if target and target.is_file() else None
        if target is None or span is None:
            super().do_GET()
            return
        first, last = span
        with target.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(first)
            self.send_response(HTTPStatus.PARTIAL_CONTENT)
            self.send_header("Content-Type", self.guess_type(str(target)))
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
            self.send_header("Content-Length", str(last - first + 1))
            self.end_headers()
            self.wfile.write(file.read(last - first + 1))

    def send_head(self) -> Any:
        """Begins the answer; whatever is not a plain file inside the folder does not exist."""
        if self._target() is not None:
            return super().send_head()
        self.send_error(HTTPStatus.NOT_FOUND)
        return None

    def _target(self) -> Path | None:
        """The file or folder of this request; None if it leads out of the folder."""
        root, target = Path(self.directory).resolve(), Path(self.translate_path(self.path))
        # For a folder, Python's handler serves these files, which may be links out of it.
        paths = (target, target / "index.html", target / "index.htm")
        return target if all(_is_inside(root, path) for path in paths) else None

    def list_directory(self, path: Any) -> None:
        """A folder without an index is not shown."""
        self.send_error(HTTPStatus.NOT_FOUND)


class LocalServer(http.server.ThreadingHTTPServer):
    """A server on this machine; port 0 takes a free one."""

    daemon_threads = True
    block_on_close = False
    """A browser keeps connections open; closing does not wait for them."""

    def __init__(self, handler: Any, port: int) -> None:
        with boundary(InputError, f"cannot listen on port {port}", cure="--port with another number"):
            super().__init__((ADDRESS, port), handler)

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address of the top, with a slash at the end."""
        return f"http://{ADDRESS}:{self.port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is not an error; anything else is one line on standard error."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            sys.stderr.write(f"steelyard: a request failed: {type(error).__name__}\n")


def folder_server(folder: Path, port: int) -> LocalServer:
    """A server for the files of `folder`."""
    require_folder(folder)
    return LocalServer(functools.partial(FolderHandler, directory=str(folder.resolve())), port)


def byte_range(wanted: str, size: int) -> tuple[int, int] | None:
    """First and last byte of a `Range` header for a file of `size` bytes; None where the whole file is the answer."""
    parts = _RANGE.fullmatch(wanted.strip())
    if parts is None:
        return None
    begin, end = parts.groups()
    if not begin:  # the last so many bytes
        return (max(0, size - int(end)), size - 1) if end and int(end) and size else None
    first, last = int(begin), min(int(end), size - 1) if end else size - 1
    return (first, last) if first <= last else None


def refused(path: str, headers: Message[str, str]) -> str:
    """Why a request is refused, in a few words; empty if it is not."""
    hosts = headers.get_all("Host") or []
    # With two Host headers, programs disagree on which one counts.
    if len(hosts) != 1 or _name(f"//{hosts[0]}") not in _OWN_NAMES:
        return "Foreign host"
    origins = headers.get_all("Origin") or []
    if any(origin.lower() != f"http://{hosts[0]}".lower() for origin in origins):
        return "Foreign origin"
    # Images and scripts on a foreign page are requested without an Origin, but still with this header.
    if headers.get("Sec-Fetch-Site", "none") in ("cross-site", "same-site") and _is_call(headers):
        return "Foreign origin"
    if not unquote(path).isprintable():
        return "Control character in the path"
    return ""


def _is_inside(root: Path, path: Path) -> bool:
    """Whether a path stays inside `root`, links resolved, and is a file, a folder or nothing yet."""
    try:
        if not path.resolve().is_relative_to(root):
            return False
        return path.is_file() or path.is_dir() or not path.exists()  # reading a pipe or a device would never end
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name that is too long
        return False


def _is_call(headers: Message[str, str]) -> bool:
    """Whether a page makes this request; a link that a person follows is a navigation."""
    return headers.get("Sec-Fetch-Mode", "navigate") != "navigate"


def _name(address: str) -> str:
    try:
        parts = urlsplit(address)
        own = parts.hostname or ""
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return ""
    return "" if parts.username is not None or parts.path else own
