"""`steelyard setup`: the pinned Node tools and the embedded model, into a cache folder of the user."""

from __future__ import annotations

import click

from steelyard import toolchain
from steelyard.cli.options import note


@click.command()
def setup() -> None:
    """Install the pinned Node tools (cdk, mermaid) and the embedded model SmolLM2.

    They go into ~/.cache/steelyard (or $STEELYARD_CACHE), about 310 MB; checksums are verified, and what is
    already there is left alone.

    \b
    Example:
      steelyard setup
    """
    toolchain.setup(note)
    click.echo(f"ready: {toolchain.cache_folder()}")
