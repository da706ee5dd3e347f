"""What every command with a verdict does with it: reports, and the exit code."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import STDOUT, colour, deliver, output, width
from steelyard.gate.model import Comparison, Weighed

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("json", "markdown", "junit", "sarif", "html")


def report_options(function: F) -> F:
    """`--json`, `--markdown`, `--junit`, `--sarif`, `--html` and `--github`."""
    text = "Print annotations for GitHub Actions and append the report to the step summary."
    return output(*FORMATS)(click.option("--github", is_flag=True, help=text)(function))


def report(weighed: Weighed, options: Mapping[str, Any]) -> Exit:
    """Deliver a verdict in every form asked for, and end in its exit code."""
    from steelyard import artifact
    from steelyard.gate.report import data as export
    from steelyard.gate.report.document import document
    from steelyard.report import junit, markdown, terminal

    shown = document(weighed)
    make: dict[str, Callable[[], str]] = {
        "json": lambda: artifact.json_text(export.as_json(weighed), schema=export.SCHEMA),
        "markdown": lambda: markdown.render(shown),
        "junit": lambda: junit.render("steelyard.gate", export.junit_cases(weighed)),
        "sarif": lambda: _sarif(weighed),
        "html": lambda: _html(weighed),
    }
    deliver(
        {name: options.get(f"{name}_path") for name in FORMATS},
        make,
        lambda: _quiet(terminal.render(shown, width=width(), colour=colour()), github=bool(options.get("github"))),
    )
    if options.get("github"):
        taken = any(options.get(f"{name}_path") == STDOUT for name in FORMATS)
        _github(export.github_commands(weighed), make["markdown"], err=taken)
    return exit_code(weighed)


def exit_code(weighed: Weighed) -> Exit:
    """0 improved or neutral, 1 regressed, 2 no verdict (docs/scoring.md §3.3)."""
    if not isinstance(weighed.outcome, Comparison):
        return Exit.UNANSWERED
    return Exit.NO if weighed.outcome.verdict == "regressed" else Exit.FINE


def _quiet(text: str, *, github: bool) -> str:
    """The report as it is; on GitHub between marks that nobody can guess, so that a name in it is never a command."""
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


def _sarif(weighed: Weighed) -> str:
    from steelyard.gate.report.data import sarif

    return sarif(weighed)


def _html(weighed: Weighed) -> str:
    from steelyard.gate.report.page import page

    return page(weighed)
