"""`steelyard gate validate`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, output, width


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--baseline", metavar="DIR", help="Show what was added, removed and changed against this one.")
@click.option("--repo", type=click.Path(path_type=Path), help="Repository for git:REF [default: the current folder].")
@output("json")
def validate(folder: str, baseline: str | None, repo: Path | None, json_path: str | None) -> Exit:
    """What a configuration holds by kind, and what is wrong with it.

    DIR is a folder, or git:REF[:PATH]. Ends in 1 for parse errors and secrets; absolute paths are warnings.

    \b
    Example:
      steelyard gate validate agent
      steelyard gate validate . --baseline git:main
    """
    from steelyard.artifact import json_text
    from steelyard.gate.config import load_config
    from steelyard.gate.config.inspect import inspect_config
    from steelyard.gate.report.listing import inspection, inspection_json
    from steelyard.report import terminal

    found = inspect_config(load_config(folder, repo=repo), load_config(baseline, repo=repo) if baseline else None)
    make = {"json": lambda: json_text(inspection_json(found))}
    deliver({"json": json_path}, make, lambda: terminal.render(inspection(found), width=width(), colour=colour()))
    return Exit.FINE if found.valid else Exit.NO
