"""Options and output that the commands of the bench share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steelyard.bench.model import MIN_COVERAGE, Board, Spec
from steelyard.bench.report import FORMATS
from steelyard.bench.suite import OFFICIAL, SUITES, Suite
from steelyard.cli.options import Number, Place, colour, deliver, index_option, note, output, rare, width

if TYPE_CHECKING:
    from steelyard.location import Location
    from steelyard.report.document import Document

F = TypeVar("F", bound=Callable[..., Any])

LISTED = 12
"""Logs that do not count, named one by one in a terminal."""


def suite_option(function: F) -> F:
    """Add `--suite` and `--items`; the function gets `suite: str` and `dataset: Path | None`."""
    help = "Which suite: each has a board of its own, and official is SA Bench as published."
    suite = click.option(
        "--suite", type=click.Choice(list(SUITES)), default=OFFICIAL.name, show_default=True, help=help
    )
    return suite(items_option(function))


def items_option(function: F) -> F:
    """Add `--items DIR`; the function gets `dataset: Path | None`."""
    help = "A folder with items of your own instead of a suite (docs/own-items.md)."
    return click.option("--items", "dataset", type=click.Path(path_type=Path), metavar="DIR", help=help)(function)


def chosen_suite(options: Mapping[str, Any]) -> Suite:
    """The suite that `--suite`, `--items` and `--categories` name."""
    from steelyard import api

    file = options.get("categories")  # where it is a tuple, it names categories of the suite
    return api.bench_suite(
        options["suite"], dataset=options["dataset"], categories=file if isinstance(file, Path) else None
    )


def tasks_option(function: F) -> F:
    """Add `--categories FILE`; the function gets `tasks_file: Path | None`."""
    help = "A file that names any Inspect tasks, instead of a suite (docs/any-tasks.md)."
    option = click.option("--categories", "tasks_file", type=click.Path(path_type=Path), metavar="FILE", help=help)
    return option(function)


def scoring_options(function: F) -> F:
    """Add `--scorer` and `--diagrams`: which scores count where there are several."""
    scorer = rare("--scorer", metavar="NAME", help="Which scores count: heuristic, judge, or a scorer's name.")
    diagrams = rare("--diagrams", type=click.Choice(["image", "text"]), help="Which diagram mode counts.")
    return scorer(diagrams(function))


def category_option(function: F) -> F:
    """Add `--category`, which may be repeated; the function gets `categories: tuple[str, ...]`."""
    help = f"A category of the suite; repeat it. Default: all ({', '.join(OFFICIAL.categories)})."
    return click.option("--category", "categories", multiple=True, metavar="KEY", help=help)(function)


def board_options(function: F) -> F:
    """Add the options that shape a board; the function gets them under the names that `api.leaderboard` takes."""
    options = [
        rare("--min-coverage", type=Number(0, 1), default=MIN_COVERAGE, show_default=True,
                     help="Below this share of scored runs, through our own fault, no number is published."),
        rare("--pool", is_flag=True, help="Average all complete logs of equal fingerprint."),
        scoring_options,
        suite_option,
        click.option("--categories", type=click.Path(path_type=Path), metavar="FILE",
                     help="A file that names any Inspect tasks, instead of a suite (docs/any-tasks.md)."),
        index_option,
        rare("--seed", type=int, default=Spec().seed, show_default=True, help="Seed of the rank bootstrap."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def report_options(function: F) -> F:
    """Add one option per format of a board, and `--html DIR`."""
    page = click.option("--html", "html_folder", type=Place(folder=True), metavar="DIR",
                        help="Write the page, with its data to download, into DIR or to a URL (s3://…).")  # fmt: skip
    return output(*FORMATS)(page(function))


def take_paths(options: dict[str, Any]) -> dict[str, str | None]:
    """Removes the PATH options from `options`; format → path."""
    names = [name for name in options if name.endswith("_path")]
    return {name.removesuffix("_path"): options.pop(name) for name in names}


def show(
    document: Document, paths: Mapping[str, str | None], *, brief: Document | None = None, **texts: Callable[[], str]
) -> None:
    """Print `brief`, or the document, and write the formats that were asked for; Markdown and HTML come from it."""
    from steelyard.report import html, markdown, terminal

    make = {"markdown": lambda: markdown.render(document), "html": lambda: html.render(document), **texts}
    deliver(paths, make, lambda: terminal.render(brief or document, width=width(), colour=colour()))


def show_board(board: Board, paths: Mapping[str, str | None]) -> None:
    """Print a board, and write the formats that were asked for."""
    from steelyard import api
    from steelyard.bench.report.document import document
    from steelyard.report import terminal

    make = {name: partial(api.bench_report, board, name) for name in FORMATS}
    deliver(paths, make, lambda: terminal.render(document(board, listed=LISTED), width=width(), colour=colour()))


def check_page(folder: Location | None) -> None:
    """Raise before the work, not after it, if no page can be written into `folder`."""
    if folder is not None:
        from steelyard.bench.report.page import check_site

        check_site(folder)


def note_page(folder: Location | None) -> None:
    """Print where the page of a board is, if there is one."""
    if folder is not None:
        note(f"page: {folder / 'index.html'}")
