"""`steelyard bench schema`."""

from __future__ import annotations

import click

from steelyard import api, artifact

WHAT = ["leaderboard", "bench", "exam", "text", "architecture", "cdk"]


@click.command()
@click.argument("what", type=click.Choice(WHAT), default="leaderboard")
def schema(what: str) -> None:
    """Print a JSON Schema: of a leaderboard, of the bench.yaml of a folder with items of your own, or of one such item.

    \b
    Example:
      steelyard bench schema > leaderboard.schema.json
      steelyard bench schema exam
    """
    click.echo(artifact.json_text(api.bench_schema(what)), nl=False)
