"""Shared options and output: the result goes to stdout, notes and progress go to stderr.

`--json PATH` and similar options write a file; `-` means stdout, with nothing else on it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import artifact
from steelyard.cli.exit import colour, width
from steelyard.errors import ArtifactError, InputError, SteelyardError, refuse_secret
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.location import Location
    from steelyard.report.document import Document

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

Paths = dict[str, str | None]
"""Where each format goes that a command offers."""

_TITLES = {"markdown": "Markdown", "junit": "JUnit"}

STDOUT = "-"


class Number(click.FloatRange):
    """A finite number in a range; a plain range accepts NaN and infinity."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


class Whole(click.IntRange):
    """A whole number in a range; click calls its type "integer range", which nobody types."""

    name = "integer"


class Place(click.ParamType["Location"]):
    """A path, or a URL that fsspec knows; `folder` refuses a local file."""

    name = "PATH|URL"

    def __init__(self, *, folder: bool = False) -> None:
        self.folder = folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Location:
        try:
            place = location(value)
        except SteelyardError as error:
            self.fail(str(error), param, ctx)
        if self.folder and isinstance(place, Path) and place.is_file():
            self.fail(f"Directory {str(value)!r} is a file.", param, ctx)
        return place


class KeyValues(click.ParamType[Any]):
    """`KEY=VALUE`; the value is read as YAML, so 5 is a number and true is a boolean."""

    name = "KEY=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        key, mark, text = str(value).partition("=")
        if not mark or not key:
            self.fail(f"{value!r} is not KEY=VALUE", param, ctx)
        from steelyard.yamlfile import parse_argument  # 0.1 s: only when there is such an option

        refuse_secret(key, text)  # before parsing: its errors repeat the text
        argument = parse_argument(text)
        refuse_secret(key, argument)
        return key.replace("-", "_"), argument


rare = partial(click.option, hidden=True)
"""An option that few need: `--help` names it, `--help-all` explains it."""


def index_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--no-index`, which reads every log; the function does not get it."""

    def turn_off(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            from steelyard.logs.read import NO_INDEX

            if not os.environ.get(NO_INDEX):
                os.environ[NO_INDEX] = "1"
                context.call_on_close(lambda: os.environ.pop(NO_INDEX))

    text = "Read every log, also those that have not changed since they were read last."
    return rare("--no-index", is_flag=True, expose_value=False, callback=turn_off, help=text)(function)


def output(*formats: str, shown: Collection[str] = ("json", "html")) -> Decorator:
    """Add `--json PATH`, `--markdown PATH`, … to a command; the function gets the path of each format as `out`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*specs: Any, **told: Any) -> Any:
            paths = {name.removesuffix("_path"): told.pop(name) for name in [*told] if name.endswith("_path")}
            if [*paths.values()].count(STDOUT) > 1:
                raise InputError("only one format can go to stdout; give the others a path")
            return function(*specs, out=paths, **told)

        # Reversed, because click lists options in the opposite order of their application.
        for name in reversed(formats):
            title = _TITLES.get(name, name.upper())
            text = f"Write the result as {title} to PATH; - means stdout, with nothing else on it."
            option = click.option if name in shown else rare
            option(f"--{name}", f"{name}_path", metavar="PATH", help=text)(call)
        return call

    return add


def refuse(out: Paths, what: str, *formats: str) -> None:
    """Raise if a format was asked for in which there is no `what`: whoever asked would wait for the file."""
    if (asked := next((name for name in formats or out if out[name] is not None), None)) is not None:
        option = "--output" if asked == "scoring" else f"--{asked}"
        raise InputError(f"{option} has no effect on {what}", cure="leave it out")


def deliver(out: Paths, make: Mapping[str, Callable[[], str]], text: Callable[[], str]) -> None:
    """Write each requested format, and the readable `text` to stdout unless a format claimed stdout.

    `out` maps a format to its PATH option, `make` to the function that produces it, which is called only if needed.
    """
    requested = {name: path for name, path in out.items() if path is not None}
    # Render all formats before writing any, so that a failing one leaves no half of the files behind.
    produced = {name: make[name]() for name in requested}
    for name, path in requested.items():
        if path != STDOUT:
            artifact.write_text(location(path), produced[name])
    to_stdout = next((name for name, path in requested.items() if path == STDOUT), None)
    if to_stdout and 1 in artifact.closed_streams:
        raise ArtifactError("cannot write to stdout: it is closed")
    click.echo(produced[to_stdout] if to_stdout else text(), nl=False)


def show(
    document: Document,
    out: Paths,
    data: Callable[[], Any] | None = None,
    *,
    schema: str | None = None,
    brief: Document | None = None,
    **texts: Callable[[], str],
) -> None:
    """Print `brief`, or the document, and write the formats that were asked for: JSON is `data`, others are `texts`."""
    from steelyard.report import html, markdown

    made = {"markdown": lambda: markdown.render(document), "html": lambda: html.render(document), **texts}
    if data is not None:
        made["json"] = lambda: artifact.json_text(data(), schema=schema)
    deliver(out, made, lambda: on_terminal(brief or document))


def on_terminal(document: Document) -> str:
    """A document as this terminal shows it."""
    from steelyard.report import terminal

    return terminal.render(document, width=width(), colour=colour())


def note(text: str) -> None:
    """Print a line to stderr."""
    click.echo(text, err=True)
