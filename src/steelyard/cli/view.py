"""`steelyard view`: serve a folder to this machine only."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.options import rare


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@rare("--port", type=click.IntRange(0, 65535), default=0, help="Default: any free port.")
def view(folder: Path, port: int) -> None:
    """Serve FOLDER, made with `bench board --html FOLDER`, on this machine until Ctrl-C.

    Only files inside FOLDER are served, and only to requests for this machine.

    Example: steelyard view page
    """
    from steelyard.localserver import folder_server

    with folder_server(folder, port) as serving:
        click.echo(serving.address)
        serving.serve_forever()
