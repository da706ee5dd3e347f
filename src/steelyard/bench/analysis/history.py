"""How models did on one published board after the other.

Every point is a row of a board; its reading says whether the overall score moved since the model's point before, as
`analysis.drift` reads it. Boards whose items, scorers or models differ are not compared: the point says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from steelyard import artifact
from steelyard.bench.analysis.drift import Reading, moved
from steelyard.bench.model import OVERALL
from steelyard.bench.report.published import Published, is_leaderboard, published_rows
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.errors import IncomparableError, InputError, LogError, boundary
from steelyard.outcome import exact

if TYPE_CHECKING:
    from steelyard.location import Location

Since: TypeAlias = Reading | Literal["first", "not comparable"]
"""What happened since the model's point before."""


@dataclass(frozen=True, slots=True)
class Point:
    """One model on one board."""

    model: str
    board: str
    generated_at: str
    overall: float | None
    rank: int | None
    delta: float | None
    """Since the point before; None for the first, and where the two cannot be compared."""
    since: Since


@dataclass(frozen=True, slots=True)
class _Board:
    name: str
    generated_at: str
    rows: dict[str, Published]
    ranks: dict[str, int | None]


def history(places: Sequence[Location], suite: Suite = OFFICIAL, model: str | None = None) -> tuple[Point, ...]:
    """The points of every model, or of one, in the order of time; `places` are leaderboards, or folders of them."""
    boards = sorted((_read(path, suite) for path in _files(places)), key=lambda board: board.generated_at)
    # Two copies of one board are no history.
    if len({board.generated_at for board in boards}) < 2:
        raise InputError("a history needs at least two boards", cure="give several leaderboards, made with --json")
    # Newest board first, so that current models come before those that have left.
    names = dict.fromkeys(name for board in reversed(boards) for name in board.rows if model in (None, name))
    if not names:
        raise InputError(f"no board has the model {model!r}")
    return tuple(point for name in names for point in _points(name, boards, suite))


def _files(places: Sequence[Location]) -> list[Location]:
    files: list[Location] = []
    for place in places:
        with boundary(LogError, f"cannot read {place}"):
            inside = sorted(place.glob("**/*.json")) if place.is_dir() else []
        # A folder may hold other JSON files, which are skipped. A file named by the user must be a board.
        files += [path for path in inside if is_leaderboard(path)] if place.is_dir() else [place]
    return files


def _read(path: Location, suite: Suite) -> _Board:
    data = artifact.read_json(path)
    rows = published_rows(data, str(path), suite)
    fields = cast(dict[str, Any], data)
    metadata: object = fields.get("_metadata")
    made = str(cast(dict[str, Any], metadata).get("generated_at") or "") if isinstance(metadata, dict) else ""
    if not made:
        raise InputError(f"{path} does not say when it was made: it has no generated_at")
    ranks = {str(row["model"]): row.get("rank") for row in cast(list[dict[str, Any]], fields["models"])}
    return _Board(str(path), made, rows, ranks)


def _points(name: str, boards: Sequence[_Board], suite: Suite) -> list[Point]:
    points: list[Point] = []
    before: Published | None = None
    for board in boards:
        if (row := board.rows.get(name)) is None:
            continue
        delta, since = _since(before, row, suite)
        points.append(Point(name, board.name, board.generated_at, row.overall, board.ranks.get(name), delta, since))
        before = row
    return points


def _since(before: Published | None, row: Published, suite: Suite) -> tuple[float | None, Since]:
    if before is None:
        return None, "first"
    try:
        moves = moved({row.model: before}, {row.model: row}, suite)
    except IncomparableError:
        return None, "not comparable"
    overall = next((move for move in moves if move.key == OVERALL), None)
    return (None, "not comparable") if overall is None else (exact(overall.delta), overall.reading)
