"""Options and output formats shared by the commands that ask a judge."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import bars, colour, deliver, width

if TYPE_CHECKING:
    from steelyard.report.document import Document

FORMATS = ("json", "markdown", "html")
"""The formats a result can be written in."""


def progress(done: int, total: int) -> None:
    """Show how many texts have been judged, if stderr is a terminal."""
    if bars():
        click.echo(f"\r{done}/{total} judged", nl=done == total, err=True)
        sys.stderr.flush()


def show(options: dict[str, Any], document: Callable[[bool], Document], json_text: Callable[[], str]) -> None:
    """Write the requested formats, and print the document.

    Args:
        options: The command's options; `NAME_path` for each of `FORMATS`.
        document: The document, with pictures or without.
        json_text: The result as JSON.
    """
    from steelyard.report import html, markdown, terminal

    make = {
        "json": json_text,
        "markdown": lambda: markdown.render(document(False)),
        "html": lambda: html.render(document(True)),
    }
    paths = {name: options[f"{name}_path"] for name in FORMATS}
    deliver(paths, make, lambda: terminal.render(document(False), width=width(), colour=colour()))
