"""`steelyard bench diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.bench.model import Board, BoardRow, Spec
from steelyard.cli.bench.board import board_options
from steelyard.cli.options import colour, deliver, output, width
from steelyard.errors import InputError


@click.command()
@click.argument("a")
@click.argument("b")
@click.argument("logs", nargs=-1)
@board_options
@click.option("--model", help="The model to compare, when A and B are boards with several.")
@click.option("--reveal", is_flag=True, help="Show the ceiling's answers too, which are the references.")
@output("json", "markdown", "html")
def diff(a: str, b: str, logs: tuple[str, ...], model: str | None, reveal: bool, **options: Any) -> None:
    """Show which items flipped from A to B, with both answers: two models of LOGS, or two boards or log folders.

    Example: steelyard bench diff steelyard/floor steelyard/ceiling logs
    """
    from steelyard import artifact
    from steelyard.bench.analysis import diff as law
    from steelyard.report import html, markdown, terminal

    paths = {name: options.pop(f"{name}_path") for name in ("json", "markdown", "html")}
    found = law.difference(*_sides(a, b, logs, model, Spec(**options)), reveal=reveal)
    make = {
        "json": lambda: artifact.json_text(law.as_json(found)),
        "markdown": lambda: markdown.render(law.document(found)),
        "html": lambda: html.render(law.document(found)),
    }
    shown = law.document(found, shown=law.SHOWN)
    deliver(paths, make, lambda: terminal.render(shown, width=width(), colour=colour()))


def _sides(a: str, b: str, logs: tuple[str, ...], model: str | None, spec: Spec) -> Any:
    """Two rows and their names."""
    from steelyard.bench.board import make_board

    if logs:
        board = make_board(logs, spec)
        one, other = _row(board, a), _row(board, b)
        return (one, other), (one.model, other.model)
    boards = [make_board(_logs(each), spec) for each in (a, b)]
    name = model or _common(boards)
    rows = [_row(board, name) for board in boards]
    return tuple(rows), (f"{name} ({a})", f"{name} ({b})")


def _logs(where: str) -> list[str]:
    """The logs behind a folder, a log, or a leaderboard file."""
    from steelyard.bench.report.data import is_leaderboard, logs_of

    path = Path(where)
    if not path.exists():
        raise InputError(f"{where} does not exist", cure="to compare two models, name their logs as well")
    return logs_of(path) if path.suffix == ".json" and is_leaderboard(path) else [where]


def _row(board: Board, name: str) -> BoardRow:
    row = next((row for row in board.rows if row.model == name), None)
    if row is None:
        raise InputError(f"there is no {name!r}", cure=f"one of {', '.join(row.model for row in board.rows)}")
    return row


def _common(boards: list[Board]) -> str:
    names = [{row.model for row in board.rows} for board in boards]
    shared = sorted(names[0] & names[1])
    if len(shared) != 1:
        raise InputError(f"{len(shared)} models stand in both", cure="pick one with --model")
    return shared[0]
