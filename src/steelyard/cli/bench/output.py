"""Output that the commands of the bench share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from steelyard.bench.model import Board
from steelyard.bench.report import FORMATS
from steelyard.cli.options import deliver, note, on_terminal, output

if TYPE_CHECKING:
    from steelyard.location import Location

LISTED = 12
"""Logs that do not count, named one by one in a terminal."""

report_options = output(*FORMATS)
"""Adds one option per format of a board."""


def show_board(board: Board, paths: Mapping[str, str | None]) -> None:
    """Print a board, and write the formats that were asked for."""
    from steelyard import api
    from steelyard.bench.report.document import document

    make = {name: partial(api.bench_report, board, name) for name in FORMATS}
    deliver(paths, make, lambda: on_terminal(document(board, listed=LISTED)))


def check_page(folder: Location | None) -> None:
    """Raise before the work, not after it, if no page can be written into `folder`."""
    if folder is not None:
        from steelyard.bench.report.page import check_site

        check_site(folder)


def note_page(folder: Location | None) -> None:
    """Print where the page of a board is, if there is one."""
    if folder is not None:
        note(f"page: {folder / 'index.html'}")
