"""The board as data: the leaderboard JSON (docs/scoring.md §1.7) and CSV, and published boards read back.

Every JSON text is checked against the shipped `leaderboard.schema.json` before anybody sees it. Boards of the published
shape, without the fields we add, are read as well; what cannot be used is an `InputError` naming the entry.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.bench.model import CATEGORIES, OVERALL, OVERALL_MARGIN, Board, BoardRow, CategoryResult
from steelyard.bench.score import overall
from steelyard.errors import InputError
from steelyard.outcome import DECIMALS, exact
from steelyard.report import numbers
from steelyard.stats.interval import CONFIDENCE, Interval

SCHEMA = "leaderboard"

SCHEMA_VERSION = 1
"""1: first shape."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A text that starts so would be run as a formula by a spreadsheet."""


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


def leaderboard(board: Board) -> dict[str, Any]:
    """The leaderboard as JSON data."""
    return {
        "_metadata": {
            "schema_version": SCHEMA_VERSION,
            "generated_at": board.generated_at,
            "run_id": board.run_id,
            "model_count": len(board.rows),
            "seed": board.spec.seed,
            "min_coverage": board.spec.min_coverage,
            "overall_margin": numbers.margin(OVERALL_MARGIN),
            "notes": list(board.notes),
            "categories": categories(),
        },
        "models": [_model(row) for row in board.rows],
    }


def json_text(board: Board) -> str:
    """The leaderboard as JSON text, checked against its schema."""
    return artifact.json_text(leaderboard(board), schema=SCHEMA)


def categories() -> dict[str, Any]:
    """What `_metadata.categories` says of the registry."""
    return {
        key: {
            "name": each.name,
            "description": each.description,
            "weight": each.weight,
            "sample_count": each.sample_count,
            "scoring": each.scoring,
            "confidence": each.confidence,
            "margin": numbers.margin(each.margin),
            "expected_variance": each.expected_variance,
        }
        for key, each in CATEGORIES.items()
    }


def csv_text(board: Board) -> str:
    """One line per subject; empty where there is no number."""
    per_category = ("", "_low", "_high", "_coverage", "_scorer")
    heads = ["rank", "model", "overall", "overall_low", "overall_high"]
    heads += [f"{key}{suffix}" for key in CATEGORIES for suffix in per_category]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*heads, "complete", "missing", "baseline", "tie_group"])
    for row in board.rows:
        writer.writerow([_cell(each) for each in _line(row)])
    return buffer.getvalue()


def read_published(path: Path) -> dict[str, Published]:
    """The rows of a published board by model name."""
    data = artifact.read_json(path)
    models = cast(dict[str, Any], data).get("models") if isinstance(data, dict) else None
    if not isinstance(models, list) or not models:
        raise InputError(f"{path} is no leaderboard: it has no list of models")
    rows: dict[str, Published] = {}
    for place, entry in enumerate(cast(list[Any], models)):
        row = _published(entry, f"{path}: models[{place}]")
        if row.model in rows:
            raise InputError(f"{path}: the model {row.model!r} stands twice")
        rows[row.model] = row
    return rows


def is_leaderboard(path: Path) -> bool:
    """Whether a JSON file is a board, and not an eval log in JSON."""
    data = artifact.read_json(path)
    return isinstance(data, dict) and "models" in data


def logs_of(path: Path) -> list[str]:
    """The logs a board was made from, as far as they can be found from here or from beside the file."""
    models = cast(list[dict[str, Any]], cast(dict[str, Any], artifact.read_json(path)).get("models") or [])
    named = [str(log) for row in models for log in cast(list[Any], row.get("logs") or [])]
    found = [str(each) for log in named for each in (Path(log), path.parent / log) if each.is_file()]
    if not found:
        raise InputError(f"{path} names no logs that can be read here", cure="give the log folder instead")
    return list(dict.fromkeys(found))


def _model(row: BoardRow) -> dict[str, Any]:
    started = row.results.items()
    agreed = {key: dict(result.judge_agreement) for key, result in started if result.judge_agreement}
    return {
        "model": row.model,
        **{key: _rounded(result.score) for key, result in started},
        "overall": _rounded(row.overall),
        "complete": row.complete,
        "missing": list(row.missing),
        "coverage": {key: _rounded(result.coverage) for key, result in started},
        "scorers": {key: result.scorer for key, result in started},
        "judges": {key: result.judge for key, result in started if result.judge},
        **({"judge_agreement": agreed} if agreed else {}),
        "baseline": row.baseline,
        "intervals": {OVERALL: _interval(row.interval), **{key: _interval(result.interval) for key, result in started}},
        "rank": row.rank,
        "rank_interval": list(row.rank_interval) if row.rank_interval else None,
        "chance_first": _rounded(row.chance_first),
        "tie_group": row.tie_group,
        "incomparable": list(row.incomparable),
        "unscored": {key: result.lost for key, result in started if result.lost},
        "usage": {key: asdict(result.usage) for key, result in started},
        "fingerprints": {key: _fields(result.fingerprint) for key, result in started if result.fingerprint},
        "logs": [path for _, result in started for path in result.logs],
    }


def _line(row: BoardRow) -> list[Any]:
    interval = row.interval
    line: list[Any] = [row.rank, row.model, _rounded(row.overall)]
    line += [_rounded(interval.low), _rounded(interval.high)] if interval else [None, None]
    for key in CATEGORIES:
        line += _columns(row.results.get(key))
    return [*line, row.complete, " ".join(row.missing), row.baseline, row.tie_group]


def _columns(result: CategoryResult | None) -> list[Any]:
    if result is None:
        return [None] * 5
    ends = [_rounded(result.interval.low), _rounded(result.interval.high)] if result.interval else [None, None]
    return [_rounded(result.score), *ends, _rounded(result.coverage), result.scorer]


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)


def _interval(found: Interval | None) -> dict[str, Any] | None:
    if found is None:
        return None
    ends = {"low": _rounded(found.low), "high": _rounded(found.high)}
    return {**ends, "method": found.method, "confidence": CONFIDENCE}


def _fields(fingerprint: Any) -> dict[str, Any]:
    return asdict(fingerprint) if is_dataclass(fingerprint) and not isinstance(fingerprint, type) else {}


def _published(entry: Any, where: str) -> Published:
    if not isinstance(entry, dict):
        raise InputError(f"{where} is no object")
    fields = cast(dict[str, Any], entry)
    name = fields.get("model")
    if not isinstance(name, str) or not name:
        raise InputError(f"{where} names no model")
    scores = {key: _share(fields[key], f"{where} ({name}): {key}") for key in CATEGORIES if key in fields}
    recomputed = overall(scores)
    total = _share(fields["overall"], f"{where} ({name}): overall") if "overall" in fields else recomputed
    drift = None if total is None or recomputed is None else exact(total - recomputed)
    return Published(name, scores, total, drift, _object(fields, "fingerprints"), _object(fields, "coverage"))


def _object(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A part of a row that other people's boards may lack."""
    found = fields.get(name)
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}


def _share(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"{where} is not a number")
    if not 0 <= value <= 1:
        raise InputError(f"{where} is {value}, outside 0 to 1")
    return float(value)
