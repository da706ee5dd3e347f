"""`steelyard view`: serve a folder to this machine only."""

from __future__ import annotations

import functools
import http.server
from pathlib import Path
from typing import Any

import click

from steelyard.errors import InputError, boundary


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the files of one folder: no directory listings, no caching, no log on stderr."""

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """A server for `folder` on 127.0.0.1; port 0 takes a free one."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a directory")
    with boundary(InputError, f"cannot listen on port {port}"):
        handler = functools.partial(Quiet, directory=str(folder.resolve()))
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Default: any free port.")
def view(folder: Path, port: int) -> None:
    """Serve FOLDER, made with `bench board --html FOLDER`, on this machine until Ctrl-C.

    Example: steelyard view page
    """
    with server(folder, port) as serving:
        click.echo(f"http://127.0.0.1:{serving.server_address[1]}/")
        serving.serve_forever()
