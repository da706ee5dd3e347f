"""`steelyard bench compare`, `items` and `history` as functions: what boards and their logs tell beside the scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from steelyard.api.bench import Logs, board_spec
from steelyard.api.options import BoardOptions, one_or_several
from steelyard.api.own import bench_suite
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.bench.analysis.diff import Difference
    from steelyard.bench.analysis.drift import Move
    from steelyard.bench.analysis.history import Point
    from steelyard.bench.analysis.items import ItemRow
    from steelyard.bench.analysis.reproduce import Reproduced
    from steelyard.location import Location


@one_or_several("logs")
def reproduce(
    published: str | Location,
    logs: Logs,
    **options: Unpack[BoardOptions],
) -> Reproduced:
    """Compare a published leaderboard with fresh logs (docs/scoring.md §1.6).

    Args:
        published: A leaderboard as JSON.
        logs: The fresh logs.
        options: How the board is made; see `BoardOptions`.

    Returns:
        Per model and category whether the score is within tolerance, and a verdict over all.

    Raises:
        InputError: The file is not a leaderboard.
        LogError: No log belongs to SA Bench.
        IncomparableError: The two have no model in common.
    """
    from steelyard.bench.analysis.reproduce import reproduced
    from steelyard.bench.board import make_board
    from steelyard.bench.report.published import read_published

    board = make_board(logs, board_spec(options))
    return reproduced(read_published(location(published), board.suite), board)


@one_or_several("logs")
def bench_diff(
    a: str | Location,
    b: str | Location,
    logs: Logs = (),
    *,
    model: str | None = None,
    reveal: bool = False,
    **options: Unpack[BoardOptions],
) -> Difference:
    """Find the items that flipped between two models, or between two boards.

    Args:
        a: With `logs`, the name of a model on their board; else a leaderboard file, a log or a folder of logs.
        b: The other side.
        logs: The logs of both models.
        model: The model to compare, if two boards have several in common.
        reveal: Whether to show the answers of the ceiling, which are the references.
        options: How the board is made; see `BoardOptions`.

    Returns:
        The flipped items with both answers, and the measured difference per category.

    Raises:
        InputError: A side does not exist, or the model is not clear.
        IncomparableError: The two sides share no comparable item.
        LogError: No log belongs to SA Bench.
    """
    from steelyard.bench.analysis.diff import difference
    from steelyard.bench.analysis.sides import two_boards, two_models
    from steelyard.bench.read.store import AnswerStore

    spec = board_spec(options)
    with AnswerStore(any_task=spec.suite.any_tasks) as answers:
        if logs:
            sides = two_models(str(a), str(b), logs, spec, answers)
        else:
            sides = two_boards(str(a), str(b), model, spec, answers)
        return difference(sides.rows, sides.names, answers, spec.suite, reveal=reveal)


def bench_drift(earlier: str | Location, later: str | Location, **options: Unpack[BoardOptions]) -> tuple[Move, ...]:
    """Find the scores that moved between two boards, item by item.

    Args:
        earlier: A leaderboard as JSON, a log or a folder of logs.
        later: A later one.
        options: How a board is made of logs; see `BoardOptions`.

    Returns:
        One move per score that both boards have; `reading` says whether it moved, is steady, or is undecided.

    Raises:
        InputError: A file is not a leaderboard.
        LogError: No log belongs to SA Bench.
        IncomparableError: The boards have no score in common.
    """
    from steelyard.bench.analysis.drift import moves

    return moves(location(earlier), location(later), board_spec(options))


def bench_history(
    boards: Sequence[str | Location],
    *,
    model: str | None = None,
    suite: str = "official",
    dataset: str | Path | None = None,
    categories: str | Path | None = None,
) -> tuple[Point, ...]:
    """Follow models over published boards.

    Args:
        boards: Leaderboards as JSON, or folders of them.
        model: Only this model.
        suite: Whose boards these are: `official` or `hard`.
        dataset: A folder with items of your own, instead of a shipped suite.
        categories: A file that names any Inspect tasks, instead of a shipped suite.

    Returns:
        One point per model and board, each model's in the order of time, with what happened since the point before.

    Raises:
        InputError: A file is not a leaderboard, there are fewer than two, or none has the model.
        IncomparableError: A board is of another suite.
    """
    from steelyard.bench.analysis.history import history

    chosen = bench_suite(suite, dataset=dataset, categories=categories)
    return history([location(board) for board in boards], chosen, model)


@one_or_several("logs")
def bench_items(logs: Logs, **options: Unpack[BoardOptions]) -> tuple[ItemRow, ...]:
    """Analyze the items: how often each is solved, and how well it separates strong from weak subjects.

    Args:
        logs: Folders, files or globs.
        options: How the board is made; see `BoardOptions`.

    Returns:
        One row per item; in each category suspect items first, then saturated ones.

    Raises:
        LogError: No log belongs to SA Bench.
    """
    from steelyard.bench.analysis.items import items
    from steelyard.bench.board import make_board

    board = make_board(logs, board_spec(options))
    return items(board)
