"""Published boards read back: leaderboard files of ours, or of the same shape without the fields we add.

An entry that cannot be used raises an `InputError` that names it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard import artifact
from steelyard.bench.score import overall
from steelyard.bench.suite import OFFICIAL, Suite, way_to
from steelyard.errors import IncomparableError, InputError, boundary, one_line
from steelyard.location import is_remote, location
from steelyard.outcome import exact

if TYPE_CHECKING:
    from steelyard.location import Location


@dataclass(frozen=True, slots=True)
class Published:
    """One row of a published board."""

    model: str
    scores: Mapping[str, float | None]
    """Category key → score, for the categories the row has."""
    overall: float | None
    drift: float | None
    """Published overall − overall recomputed from the row's own categories; None when either is unknown."""
    fingerprints: Mapping[str, Any]
    """Category key → fingerprint fields, where the board carries them."""
    coverage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Category key → scored runs / expected runs, where the board carries them."""
    items: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    """Category key → item id → mean over its scored epochs, where the board carries them."""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """Category key or `overall` → 95% interval of item sampling, where the board carries it."""
    latency: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Category key → seconds that its items took, where the board carries them."""


def read_published(path: Location, suite: Suite = OFFICIAL) -> dict[str, Published]:
    """The rows of a published board by model name."""
    return published_rows(artifact.read_json(path), str(path), suite)


def published_rows(data: Any, where: str, suite: Suite = OFFICIAL) -> dict[str, Published]:
    """The rows of a board of `suite` as JSON data, by model name; `where` names it in errors."""
    models = cast(dict[str, Any], data).get("models") if isinstance(data, dict) else None
    if not isinstance(models, list) or not models:
        raise InputError(f"{where} is not a leaderboard: it has no list of models")
    _require_suite(cast(dict[str, Any], data), where, suite)
    rows: dict[str, Published] = {}
    for place, entry in enumerate(cast(list[Any], models)):
        row = _published(entry, f"{where}: models[{place}]", suite)
        if row.model in rows:
            raise InputError(f"{where}: duplicate model {row.model!r}")
        rows[row.model] = row
    return rows


def is_leaderboard(path: Location) -> bool:
    """Whether a JSON file is a board, and not an eval log in JSON."""
    data = artifact.read_json(path)
    return isinstance(data, dict) and "models" in data


def logs_of(path: Location) -> list[str]:
    """The logs that a board was made from, found relative to the working directory or to the file."""
    models = cast(list[dict[str, Any]], cast(dict[str, Any], artifact.read_json(path)).get("models") or [])
    logs = [str(log) for row in models for log in cast(list[Any], row.get("logs") or [])]
    files = [str(file) for log in logs for file in _places(log, path) if file.is_file()]
    if not files:
        raise InputError(f"{path} names no logs that can be read here", cure="give the log folder instead")
    # A log may be found both from the working directory and beside the board.
    return list(dict.fromkeys(files))


def _places(log: str, board: Location) -> tuple[Location, ...]:
    return (location(log),) if is_remote(log) else (Path(log), board.parent / log)


def _require_suite(data: Mapping[str, Any], where: str, suite: Suite) -> None:
    """Refuse the board of another suite; a board that names none is an official one."""
    name = _object(data, "_metadata").get("suite", OFFICIAL.name)
    if name != suite.name:
        text = f"{where} is a board of the suite {one_line(str(name), 60)}, not of {suite.name}"
        raise IncomparableError(text, cure=way_to(str(name)))


def _published(entry: Any, where: str, suite: Suite) -> Published:
    if not isinstance(entry, dict):
        raise InputError(f"{where} is not an object")
    fields = cast(dict[str, Any], entry)
    name = fields.get("model")
    if not isinstance(name, str) or not name:
        raise InputError(f"{where} names no model")
    scores = {key: _share(fields[key], f"{where} ({name}): {key}") for key in suite.categories if key in fields}
    recomputed = overall(scores, suite)
    # Boards made elsewhere may not state it; then it is computed from the categories.
    total = _share(fields["overall"], f"{where} ({name}): overall") if "overall" in fields else recomputed
    drift = None if total is None or recomputed is None else exact(total - recomputed)
    return Published(
        name,
        scores,
        total,
        drift,
        _object(fields, "fingerprints"),
        _object(fields, "coverage"),
        _items(_object(fields, "items"), f"{where} ({name})", suite),
        _intervals(_object(fields, "intervals"), f"{where} ({name})"),
        _object(fields, "latency"),
    )


def _items(fields: Mapping[str, Any], where: str, suite: Suite) -> dict[str, dict[str, float]]:
    """Scores by category and item; an item without a number is left out."""
    items: dict[str, dict[str, float]] = {}
    for key in suite.categories:
        scores = {item: _share(value, f"{where}: items.{key}.{item}") for item, value in _object(fields, key).items()}
        if scores:
            items[key] = {item: score for item, score in scores.items() if score is not None}
    return items


def _intervals(fields: Mapping[str, Any], where: str) -> dict[str, tuple[float, float]]:
    with boundary(InputError, f"{where}: the intervals cannot be read"):
        return {key: (float(ends["low"]), float(ends["high"])) for key, ends in fields.items() if ends}


def _object(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A part of a row that boards made elsewhere may lack."""
    part = fields.get(name)
    return cast(dict[str, Any], part) if isinstance(part, dict) else {}


def _share(value: Any, where: str) -> float | None:
    if value is None:
        return None
    # A whole number may be too large for `isfinite`.
    if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))):
        raise InputError(f"{where} is not a number")
    if not 0 <= value <= 1:
        raise InputError(f"{where} is {one_line(value, 40)}, outside 0 to 1")
    return float(value)
