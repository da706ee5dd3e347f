"""Reports and exit code of every command that ends in a verdict."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import STDOUT, deliver, on_terminal, output, rare
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.report import FORMATS

if TYPE_CHECKING:
    from steelyard.gate.family import Family

F = TypeVar("F", bound=Callable[..., Any])


def report_options(function: F) -> F:
    """Add one option per output format, and `--github`."""
    text = "Print annotations for GitHub Actions and append the report to the step summary."
    return output(*FORMATS)(rare("--github", is_flag=True, help=text)(function))


def report(weighed: Weighed, options: Mapping[str, Any]) -> Exit:
    """Deliver a verdict in every requested format, and return its exit code."""
    from steelyard import api
    from steelyard.gate.report.ci import github_commands
    from steelyard.gate.report.document import document

    make = {name: partial(api.gate_report, weighed, name) for name in FORMATS}
    _deliver_all(make, lambda: on_terminal(document(weighed)), partial(github_commands, weighed), options)
    return exit_code(weighed)


def report_family(family: Family, options: Mapping[str, Any]) -> Exit:
    """Deliver the answer about several agents in every requested format, and return its exit code."""
    from steelyard.gate.read.views import read_views
    from steelyard.gate.report.family import FAMILY_FORMATS, family_document, family_github

    make = {name: partial(render, family, read_views) for name, render in FAMILY_FORMATS.items()}
    _deliver_all(make, lambda: on_terminal(family_document(family)), partial(family_github, family), options)
    codes = {"no": Exit.NO, "unanswered": Exit.UNANSWERED, "undecided": Exit.UNDECIDED, "fine": Exit.FINE}
    return codes[family.state]


def _deliver_all(
    make: Mapping[str, Callable[[], str]],
    shown: Callable[[], str],
    commands: Callable[[], str],
    options: Mapping[str, Any],
) -> None:
    """Write every requested format, print the report, and tell GitHub if this runs there."""
    github = bool(options.get("github"))
    paths = {name: options.get(f"{name}_path") for name in make}
    deliver(paths, make, lambda: _quiet(shown(), github=github))
    if github:
        _github(commands(), make["markdown"], err=STDOUT in paths.values())


def exit_code(weighed: Weighed) -> Exit:
    """0 improved, neutral or nothing changed, 1 regressed or mixed, 2 no verdict, 3 undecided (scoring.md §3.3)."""
    if not isinstance(weighed.outcome, Comparison):
        return Exit.FINE if weighed.outcome.unchanged else Exit.UNANSWERED
    codes = {"regressed": Exit.NO, "mixed": Exit.NO, "undecided": Exit.UNDECIDED}
    return codes.get(weighed.outcome.verdict, Exit.FINE)


def _quiet(text: str, *, github: bool) -> str:
    """The report; on GitHub between unguessable marks, so that a name in it is never run as a workflow command."""
    if not github:
        return text
    mark = secrets.token_hex(16)
    return f"::stop-commands::{mark}\n{text.rstrip()}\n::{mark}::\n"


def _github(commands: str, make: Callable[[], str], *, err: bool) -> None:
    click.echo(commands, nl=False, err=err)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(make())
