"""`steelyard setup`: install the pinned Node tools and the embedded model in the user's cache folder."""

from __future__ import annotations

from dataclasses import replace

import click

from steelyard import api
from steelyard.cli.options import note
from steelyard.cli.spec import options_of


@click.command()
@options_of(api.MachineSetup)
@click.option("--clean", is_flag=True, help="Install nothing; remove what other versions and killed runs left.")
def setup(spec: api.MachineSetup, clean: bool) -> None:
    """Install the pinned Node tools (cdk, mermaid) and the embedded model SmolLM2.

    They go into ~/.cache/steelyard (or $STEELYARD_CACHE), about 610 MB with the prepared CDK synthesizer.
    Checksums are verified. Parts that are already installed are compared with the list of their files and tried, and
    reinstalled if they are damaged. With --clean, folders of the cache that this version does not use are named and
    removed.

    With --agent the client of claude-code, codex, gemini-cli or opencode is installed from npm, in the version this
    release pins, and started once. It is 100 to 380 MB. A gate prefers it to what is on PATH. --agent-version installs
    another version beside it, for `gate run --agent-version`.

    \b
    Examples:
      steelyard setup
      steelyard setup --agent claude-code --agent codex
      steelyard setup --agent codex --agent-version 0.165.0
      steelyard setup --clean
    """
    if clean:
        click.echo(f"freed {api.clean(notify=note) / 1e6:.0f} MB")
        return
    click.echo(f"ready: {api.setup(replace(spec, notify=note))}")
