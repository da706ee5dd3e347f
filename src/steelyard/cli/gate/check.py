"""`steelyard gate check`: are tasks or a configuration in order, before anything is paid for?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import settings_option
from steelyard.cli.options import colour, deliver, note, output, width
from steelyard.errors import InputError
from steelyard.gate.config.artifacts import AGENTS

if TYPE_CHECKING:
    from steelyard.report.document import Document


@click.command()
@click.argument("what", metavar="DIR")
@click.option("--prove", is_flag=True, help="Tasks: run references, nothing and hostile solutions through the checks.")
@click.option("--baseline", metavar="CONFIG", help="A configuration: show what changed against this one.")
@click.option("--agent", type=click.Choice(AGENTS), help="A configuration: warn of what this agent does not load.")
@click.option("--repo", type=click.Path(path_type=Path), help="Repository for git:REF [default: the current folder].")
@settings_option
@output("json")
def check(
    what: str,
    prove: bool,
    baseline: str | None,
    agent: str | None,
    repo: Path | None,
    settings: Path | None,
    json_path: str | None,
) -> Exit:
    """Check a folder of tasks, or a configuration: a folder or git:REF[:PATH].

    Tasks are listed and validated: exit 2 if one cannot be used. With --prove each must tell right from wrong:
    its reference passes, doing nothing and hostile solutions fail, else exit 1. Of a configuration, the
    artifacts are shown by kind, with exit 1 for parse errors and secrets. Absolute paths, and artifacts that the
    agent (or no agent) loads, are warnings.

    \b
    Example:
      steelyard gate check tasks --prove
      steelyard gate check . --baseline git:main --agent codex
    """
    if not any(Path(what).glob("*/task.yaml")):
        if prove:
            raise InputError(f"{what} contains no tasks to prove", cure="name a folder of folders with a task.yaml")
        return _configuration(what, baseline, agent, repo, json_path)
    if baseline or agent or repo:
        raise InputError(
            f"{what} contains tasks; --baseline, --agent and --repo are for configurations",
            cure="leave them out, or name the folder of a configuration",
        )
    return (_proved if prove else _tasks)(Path(what), settings, json_path)


def _tasks(folder: Path, settings: Path | None, json_path: str | None) -> Exit:
    from steelyard import api
    from steelyard.gate.report.listing import listing, listing_json
    from steelyard.gate.settings import load_settings

    suite = api.gate_tasks(folder, tools=load_settings(settings).tools)
    _show(listing(suite), listing_json(suite), json_path)
    return Exit.FINE if suite.tasks and not suite.problems else Exit.UNANSWERED


def _proved(folder: Path, settings: Path | None, json_path: str | None) -> Exit:
    from steelyard import api
    from steelyard.gate.report.listing import selftests, selftests_json
    from steelyard.gate.settings import load_settings

    results = api.gate_selftest(folder, tools=load_settings(settings).tools, notify=note)
    _show(selftests(results), selftests_json(results), json_path)
    return Exit.FINE if all(result.fine for result in results) else Exit.NO


def _configuration(
    place: str, baseline: str | None, agent: str | None, repo: Path | None, json_path: str | None
) -> Exit:
    from steelyard import api
    from steelyard.gate.report.listing import inspection, inspection_json

    config = api.gate_validate(place, baseline=baseline, repo=repo, agent=agent)
    _show(inspection(config), inspection_json(config), json_path)
    return Exit.FINE if config.valid else Exit.NO


def _show(document: Document, data: Mapping[str, Any], json_path: str | None) -> None:
    from steelyard.artifact import json_text
    from steelyard.report import terminal

    make = {"json": lambda: json_text(data)}
    deliver({"json": json_path}, make, lambda: terminal.render(document, width=width(), colour=colour()))
