"""`steelyard bench schema`."""

from __future__ import annotations

import click

from steelyard import artifact


@click.command()
def schema() -> None:
    """Print the JSON Schema of a leaderboard.

    Example: steelyard bench schema > leaderboard.schema.json
    """
    click.echo(artifact.json_text(artifact.schema_document("leaderboard")), nl=False)
