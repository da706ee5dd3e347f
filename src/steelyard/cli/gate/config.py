"""`steelyard gate validate`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, output, width
from steelyard.gate.config.artifacts import AGENTS


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--baseline", metavar="DIR", help="Show what was added, removed and changed against this configuration.")
@click.option("--agent", type=click.Choice(AGENTS), help="Warn of what this agent does not load.")
@click.option("--repo", type=click.Path(path_type=Path), help="Repository for git:REF [default: the current folder].")
@output("json")
def validate(folder: str, baseline: str | None, agent: str | None, repo: Path | None, json_path: str | None) -> Exit:
    """Show what a configuration contains by kind, and what is wrong with it.

    DIR is a folder, or git:REF[:PATH]. Exit 1 for parse errors and secrets. Absolute paths are warnings,
    and artifacts that the agent does not load; without --agent, those that no agent loads.

    \b
    Example:
      steelyard gate validate agent
      steelyard gate validate . --baseline git:main --agent codex
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.report.listing import inspection, inspection_json
    from steelyard.report import terminal

    config = api.gate_validate(folder, baseline=baseline, repo=repo, agent=agent)
    make = {"json": lambda: json_text(inspection_json(config))}
    deliver({"json": json_path}, make, lambda: terminal.render(inspection(config), width=width(), colour=colour()))
    return Exit.FINE if config.valid else Exit.NO
