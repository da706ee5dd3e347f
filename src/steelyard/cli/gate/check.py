"""`steelyard gate check`: are tasks or a configuration in order, before anything is paid for? Does a verdict hold?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import index_option, note, output, rare, show
from steelyard.cli.spec import FILE
from steelyard.errors import InputError
from steelyard.gate.config.artifacts import AGENTS

if TYPE_CHECKING:
    from steelyard.report.document import Document


@click.command()
@click.argument("what", metavar="DIR|COMPARISON.json")
@click.option("--prove", is_flag=True, help="Tasks: run references, nothing and hostile solutions through the checks.")
@click.option("--baseline", metavar="CONFIG", help="A configuration: show what changed against this one.")
@click.option("--agent", type=click.Choice(AGENTS), help="A configuration: warn of what this agent does not load.")
@rare("--repo", type=FILE, help="Repository for git:REF [default: the current folder].")
@rare("--ledger", metavar="PLACE", help="A comparison: where attempts are counted [default: beside the logs].")
@rare("--settings", "--config", type=FILE, help="Settings file [default: steelyard.yaml].")
@index_option
@output("json")
def check(what: str, prove: bool, settings: Path | None, json_path: str | None, **options: Any) -> Exit:
    """Check a folder of tasks, a configuration (a folder or git:REF[:PATH]), or a comparison.

    Tasks are listed and validated: exit 2 if one cannot be used. With --prove each must tell right from wrong:
    its reference passes, doing nothing and hostile solutions fail, else exit 1. Of a configuration, the
    artifacts are shown by kind, with exit 1 for parse errors and secrets. Absolute paths, and artifacts that the
    agent (or no agent) loads, are warnings. A comparison is recomputed offline from its logs, under the settings that
    were registered before the first run: exit 0 if it was decided as registered, 1 if not.

    \b
    Example:
      steelyard gate check tasks --prove
      steelyard gate check . --baseline git:main --agent codex
      steelyard gate check logs/gate/comparison.json
    """
    if what.endswith(".json"):
        return _verified(what, options["ledger"], options["repo"], json_path)
    options.pop("ledger")
    if not any(Path(what).glob("*/task.yaml")):
        if prove:
            raise InputError(f"{what} contains no tasks to prove", cure="name a folder of folders with a task.yaml")
        return _configuration(what, json_path, options)
    if any(options.values()):
        raise InputError(
            f"{what} contains tasks; --baseline, --agent and --repo are for configurations",
            cure="leave them out, or name the folder of a configuration",
        )
    return (_proved if prove else _tasks)(Path(what), settings, json_path)


def _tasks(folder: Path, settings: Path | None, json_path: str | None) -> Exit:
    from steelyard.gate.report.listing import listing, listing_json
    from steelyard.gate.settings import load_settings

    suite = api.gate_tasks(folder, tools=load_settings(settings).tools)
    _show(listing(suite), listing_json(suite), json_path)
    return Exit.FINE if suite.tasks and not suite.problems else Exit.UNANSWERED


def _proved(folder: Path, settings: Path | None, json_path: str | None) -> Exit:
    from steelyard.gate.report.listing import selftests, selftests_json
    from steelyard.gate.settings import load_settings

    results = api.gate_selftest(folder, tools=load_settings(settings).tools, notify=note)
    _show(selftests(results), selftests_json(results), json_path)
    return Exit.FINE if all(result.fine for result in results) else Exit.NO


def _configuration(place: str, json_path: str | None, options: dict[str, Any]) -> Exit:
    from steelyard.gate.report.listing import inspection, inspection_json

    config = api.gate_validate(place, **options)
    _show(inspection(config), inspection_json(config), json_path)
    return Exit.FINE if config.valid else Exit.NO


def _verified(comparison: str, ledger: str | None, repo: Path | None, json_path: str | None) -> Exit:
    from steelyard.gate.report.verification import verification, verification_json

    result = api.gate_verify(comparison, ledger=ledger, repo=repo)
    _show(verification(result), verification_json(result), json_path)
    return Exit.FINE if result.holds else Exit.NO


def _show(document: Document, data: Mapping[str, Any], json_path: str | None) -> None:
    from steelyard.artifact import json_text

    show(document, {"json": json_path}, json=lambda: json_text(data))
