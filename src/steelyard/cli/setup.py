"""`steelyard setup`: install the pinned Node tools and the embedded model in the user's cache folder."""

from __future__ import annotations

import click

from steelyard import api
from steelyard.cli.options import note


@click.command()
def setup() -> None:
    """Install the pinned Node tools (cdk, mermaid) and the embedded model SmolLM2.

    They go into ~/.cache/steelyard (or $STEELYARD_CACHE), about 610 MB with the prepared CDK engine.
    Checksums are verified. Parts that are already installed are tried, and reinstalled if they do not work.

    \b
    Example:
      steelyard setup
    """
    click.echo(f"ready: {api.setup(notify=note)}")
