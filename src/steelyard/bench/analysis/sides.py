"""The two sides of a diff: two models of one set of logs, or one model on two boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from steelyard.bench.board import Visit, make_board
from steelyard.bench.model import Board, BoardRow, Spec
from steelyard.bench.read.store import AnswerStore
from steelyard.bench.read.subject import shown_names, subject_of
from steelyard.bench.report.published import is_leaderboard, logs_of
from steelyard.errors import InputError
from steelyard.location import location
from steelyard.logs.read import OpenLog

if TYPE_CHECKING:
    from steelyard.location import Location


class Sides(NamedTuple):
    """What a diff compares."""

    rows: tuple[BoardRow, BoardRow]
    names: tuple[str, str]
    """How a report calls them."""


def two_models(a: str, b: str, logs: Sequence[str | Location], spec: Spec, answers: AnswerStore) -> Sides:
    """Two models of the board of `logs`; `answers` keeps what they answered."""
    board = make_board(logs, spec, _keeping((a, b), answers))
    first, second = _row(board, a), _row(board, b)
    return Sides((first, second), (first.model, second.model))


def two_boards(a: str, b: str, model: str | None, spec: Spec, answers: AnswerStore) -> Sides:
    """One model on two boards, each a leaderboard file, a log or a folder; `model` may be absent if they share one."""
    keeping = answers.keep if model is None else _keeping((model,), answers)
    first, second = (make_board(_logs(side), spec, keeping) for side in (a, b))
    name = model or _shared_model(first, second)
    return Sides((_row(first, name), _row(second, name)), (f"{name} ({a})", f"{name} ({b})"))


def _keeping(names: tuple[str, ...], answers: AnswerStore) -> Visit:
    """Keeps the answers of subjects that may be shown under one of these names."""

    def visit(log: OpenLog) -> None:
        # On a board with namesakes, the name is followed by the settings that differ.
        (plain,) = shown_names([subject_of(log.row)]).values()
        if any(name.startswith(plain) for name in names):
            answers.keep(log)

    return visit


def _logs(where: str) -> list[str]:
    path = location(where)
    if not path.exists():
        raise InputError(f"{where} does not exist", cure="to compare two models, name their logs as well")
    return logs_of(path) if path.suffix == ".json" and is_leaderboard(path) else [where]


def _row(board: Board, name: str) -> BoardRow:
    row = next((row for row in board.rows if row.model == name), None)
    if row is None:
        raise InputError(f"there is no model {name!r}", cure=f"one of {', '.join(row.model for row in board.rows)}")
    return row


def _shared_model(first: Board, second: Board) -> str:
    shared = sorted({row.model for row in first.rows} & {row.model for row in second.rows})
    if len(shared) != 1:
        raise InputError(f"the boards have {len(shared)} models in common", cure="pick one with --model")
    return shared[0]
