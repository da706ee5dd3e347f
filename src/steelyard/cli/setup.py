"""`steelyard setup`: install the pinned Node tools and the embedded model in the user's cache folder."""

from __future__ import annotations

import importlib.util

import click

from steelyard import toolchain
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
    toolchain.setup(note)
    _prepare_engine()
    click.echo(f"ready: {toolchain.cache_folder()}")


def _prepare_engine() -> None:
    """Unpack the files of the CDK engine now, so that the first verification does not wait for it."""
    if importlib.util.find_spec("aws_cdk") is None:
        return
    from steelyard.bench.cdk_synth.engine.prepare import prepared

    prepared()
    note("CDK engine: prepared")
