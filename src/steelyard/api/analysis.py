"""What logs and boards tell: `bench compare`, `board --by item`, `history`, `submit` and `check` of a submission."""

from __future__ import annotations

from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.groups import Boards, Scores, Taskfile
from steelyard.api.spec import argument, option, parameter, rare, spec, takes
from steelyard.api.values import Location, Progress, file, places, silent, sources
from steelyard.location import location
from steelyard.rows import Table

if TYPE_CHECKING:
    from steelyard.bench.analysis.diff import Difference
    from steelyard.bench.analysis.drift import Move
    from steelyard.bench.analysis.history import Point
    from steelyard.bench.analysis.items import ItemRow
    from steelyard.bench.analysis.reproduce import Reproduced
    from steelyard.bench.submission.check import SubmissionCheck
    from steelyard.bench.submission.submit import Submitted


@spec
class Reproduction(Boards):
    """A published board, and fresh logs."""

    UNUSED = ("sort",)

    published: Location = option("A leaderboard as JSON.", converter=location)
    logs: tuple[str, ...] = option("The fresh logs.", converter=sources)


@takes(Reproduction)
def reproduce(spec: Reproduction) -> Reproduced:
    """Compare a published leaderboard with fresh logs (docs/scoring.md §1.6).

    Returns: Per model and category whether the score is within tolerance, and a verdict over all.
    """
    from steelyard.bench.analysis.reproduce import reproduced
    from steelyard.bench.board import make_board
    from steelyard.bench.report.published import read_published

    board = make_board(spec.logs, spec.board_spec())
    return reproduced(read_published(spec.published, board.suite), board)


@spec
class BenchCompare(Boards):
    """Two models of one set of logs, or two boards."""

    UNUSED = ("sort",)

    a: str = argument("A leaderboard (--json), a log or a folder of logs; with LOGS, a model.")
    b: str = argument("The other side.")
    logs: tuple[str, ...] = argument("The logs of both models.", default=(), converter=sources)
    _: KW_ONLY
    model: str | None = option("Show the items of this model that flipped between the boards A and B.", default=None)
    reveal: bool = rare("Show the ceiling's answers too, which are the references.", default=False)


@takes(BenchCompare)
def bench_diff(spec: BenchCompare) -> Difference:
    """Find the items that flipped between two models, or between two boards.

    Returns: The flipped items with both answers, and the measured difference per category.
    """
    from steelyard.bench.analysis.diff import difference
    from steelyard.bench.analysis.sides import two_boards, two_models
    from steelyard.bench.read.store import AnswerStore

    made, pair = spec.board_spec(), (str(spec.a), str(spec.b))
    with AnswerStore(any_task=made.suite.any_tasks) as answers:
        if spec.logs:
            sides = two_models(*pair, spec.logs, made, answers)
        else:
            sides = two_boards(*pair, spec.model, made, answers)
        return difference(sides.rows, sides.names, answers, made.suite, reveal=spec.reveal)


@spec
class BenchDrift(Boards):
    """Two boards of the same models."""

    UNUSED = ("sort",)

    earlier: Location = option("A leaderboard as JSON, a log or a folder of logs.", converter=location)
    later: Location = option("A later one.", converter=location)


@takes(BenchDrift)
def bench_drift(spec: BenchDrift) -> Table[Move]:
    """Find the scores that moved between two boards, item by item.

    Returns: One move per score that both boards have; `reading` says whether it moved, is steady, or is undecided.
    """
    from steelyard.bench.analysis.drift import moves

    return Table(moves(spec.earlier, spec.later, spec.board_spec()))


@spec
class BenchHistory(Taskfile):
    """Published boards."""

    boards: tuple[Location, ...] = argument("Leaderboards as JSON, or folders of them.", converter=places)
    _: KW_ONLY
    model: str | None = option("Only this model.", default=None)


@takes(BenchHistory)
def bench_history(spec: BenchHistory) -> Table[Point]:
    """Follow models over published boards.

    Returns:
        One point per model and board, each model's in the order of time, with what happened since the point before.
    """
    from steelyard.bench.analysis.history import history

    return Table(history(list(spec.boards), spec.chosen_suite(), spec.model))


@spec
class BenchItems(Boards):
    """Logs whose items are looked at."""

    UNUSED = ("sort",)

    logs: tuple[str, ...] = option("Folders, files or globs.", converter=sources)


@takes(BenchItems)
def bench_items(spec: BenchItems) -> Table[ItemRow]:
    """Analyze the items: how often each is solved, and how well it separates strong from weak subjects.

    Returns: One row per item; in each category suspect items first, then saturated ones.
    """
    from steelyard.bench.analysis.items import items
    from steelyard.bench.board import make_board

    return Table(items(make_board(spec.logs, spec.board_spec())))


@spec
class BenchSubmit(Scores):
    """Logs to submit."""

    logs: tuple[str, ...] = argument("Folders, files or globs.", converter=sources)
    target: Location = option("The file to write; it must not exist yet.", "--out", "FILE", converter=location)


@takes(BenchSubmit)
def bench_submit(spec: BenchSubmit) -> Submitted:
    """Make a submission of logs: the logs that count, their board and versions in one file.

    Returns: The file, its board, and what to look at before it is published.
    """
    from steelyard.bench.submission.submit import submit

    return submit(spec.logs, spec.target, spec.board_spec())


@spec
class BenchCheck(Taskfile):
    """A submission."""

    submission: Path = option("The file that `bench_submit` wrote.", converter=file)
    _: KW_ONLY
    progress: Progress = parameter("Called as logs are checked.", default=silent)


@takes(BenchCheck)
def bench_check(spec: BenchCheck) -> SubmissionCheck:
    """Check a submission without a network: items, fingerprints, canary, every grade, every number of its board.

    Returns: One line per check, and a verdict over all: `holds`, `fails` or `undecided`.
    """
    from steelyard.bench.submission.check import check_submission

    return check_submission(spec.submission, spec.board_spec(), spec.progress)
