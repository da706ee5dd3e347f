"""The board as data: the leaderboard JSON (docs/scoring.md §1.7) and CSV.

Every JSON text is checked against the shipped `leaderboard.schema.json` before it is written. `published` reads boards
back.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

import numpy as np

from steelyard import artifact
from steelyard.bench.analysis.front import front, ordered
from steelyard.bench.model import OVERALL, Board, BoardRow, CategoryResult, Pair, facts_of, items_hashes
from steelyard.bench.model_facts import ModelFacts
from steelyard.bench.report import models, separation
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.collector import rarely_collected
from steelyard.outcome import DECIMALS
from steelyard.report import numbers
from steelyard.stats.interval import CONFIDENCE, Interval
from steelyard.stats.rounding import rounded_all

SCHEMA = "leaderboard"

SCHEMA_VERSION = 2
"""1: first shape. 2: `intent` is a number per category; it was an object."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet would run a text with one of these prefixes as a formula."""


def leaderboard(board: Board) -> dict[str, Any]:
    """The leaderboard as JSON data."""
    on_front, hashes = front(board.rows), items_hashes(board)
    return {
        "_metadata": {
            "schema_version": SCHEMA_VERSION,
            "generated_at": board.generated_at,
            "run_id": board.run_id,
            "suite": board.suite.name,
            "model_count": len(board.rows),
            "seed": board.spec.seed,
            "min_coverage": board.spec.min_coverage,
            "overall_margin": numbers.margin(board.suite.margin),
            "notes": list(board.notes),
            # The hash of the items tells anybody later which were asked.
            "categories": {
                key: {**fields, **({"items_hash": hashes[key]} if key in hashes else {})}
                for key, fields in categories(board.suite).items()
            },
        },
        "models": [{**_model(row, strict=board.suite.strict), **models.as_json(row, on_front)} for row in board.rows],
        "separation": separation.as_json(board.separation),
        "pairs": _pairs(board.pairs),
        "items": item_data(board),
    }


def json_text(board: Board) -> str:
    """The leaderboard as JSON text, checked against its schema."""
    with rarely_collected():
        return artifact.json_text(leaderboard(board), schema=SCHEMA)


def categories(suite: Suite = OFFICIAL) -> dict[str, Any]:
    """`_metadata.categories`: the categories of a suite as JSON data."""
    return {
        key: {
            "name": category.name,
            "description": category.description,
            "weight": category.weight,
            "sample_count": category.sample_count,
            "scoring": category.scoring,
            "confidence": category.confidence,
            "margin": numbers.margin(category.margin),
            "expected_variance": category.expected_variance,
        }
        for key, category in suite.categories.items()
    }


def item_data(board: Board) -> dict[str, Any]:
    """Category → item id → title and groups, of all items that a subject was asked."""
    return {
        key: {
            item: {"title": facts.title, **{name: list(values) for name, values in facts.groups.items()}}
            for item, facts in facts_of(board, key).items()
        }
        for key in board.suite.categories
        if facts_of(board, key)
    }


def csv_of(heads: Iterable[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Records with these fields as CSV; empty where there is no value."""
    buffer = io.StringIO()
    lines = [map(_cell, record.values()) for record in records]
    csv.writer(buffer, lineterminator="\n").writerows([heads, *lines])
    return buffer.getvalue()


def csv_text(board: Board) -> str:
    """One line per subject; empty where there is no number."""
    on_front = front(board.rows)
    records = [_record(row, board.suite, on_front) for row in ordered(board)]
    return csv_of(records[0], records)  # there is no board without a row


def _record(row: BoardRow, suite: Suite, on_front: Mapping[str, bool]) -> dict[str, Any]:
    """A row as one line of CSV; every row of a board has the same columns."""
    results = {key: row.results.get(key) for key in suite.categories}
    scores: dict[str, Any] = {}
    for key, result in results.items():
        ends = result.interval if result else None
        scores |= {key: result and result.score, f"{key}_low": ends and ends.low, f"{key}_high": ends and ends.high}
        if suite.strict:
            scores[f"{key}_strict"] = result and result.strict
        scores |= {f"{key}_coverage": result and result.coverage, f"{key}_scorer": result and result.scorer}
    asked = [(key, result, suite.categories[key]) for key, result in results.items()]
    return {
        "rank": row.rank,
        "model": row.model,
        OVERALL: row.overall,
        "overall_low": row.interval and row.interval.low,
        "overall_high": row.interval and row.interval.high,
        **({"strict": row.strict, "strict_parts": row.parted} if suite.strict else {}),
        **scores,
        "complete": row.complete,
        "missing": " ".join(row.missing),
        "baseline": row.baseline,
        "tie_group": row.tie_group,
        **{f"{key}_unreadable": result and result.unreadable for key, result, category in asked if category.unreadable},
        **{f"{key}_intent": result and result.intent for key, result, category in asked if category.intent},
        "heuristic": " ".join(key for key, result in row.results.items() if result.heuristic),
        # As text, because a cell rounds numbers as scores are rounded, and a run may cost less than that.
        "cost_usd": None if row.cost_usd is None else str(round(row.cost_usd, 9)),
        "pareto": on_front.get(row.model),
        **(row.about or ModelFacts()).model_dump(exclude={"price"}),
    }


def _model(row: BoardRow, *, strict: bool) -> dict[str, Any]:
    started = row.results.items()
    agreed = {key: dict(result.judge_agreement) for key, result in started if result.judge_agreement}
    intents = {key: _rounded(result.intent) for key, result in started if result.intent is not None}
    return {
        "model": row.model,
        **{key: _rounded(result.score) for key, result in started},
        "overall": _rounded(row.overall),
        **(_strict(row) if strict else {}),
        "complete": row.complete,
        "missing": list(row.missing),
        "coverage": {key: _rounded(result.coverage) for key, result in started},
        "scorers": {key: result.scorer for key, result in started},
        "heuristic": [key for key, result in started if result.heuristic],
        "judges": {key: result.judge for key, result in started if result.judge},
        **({"judge_agreement": agreed} if agreed else {}),
        "baseline": row.baseline,
        "intervals": {OVERALL: _interval(row.interval), **{key: _interval(result.interval) for key, result in started}},
        "rank": row.rank,
        "rank_interval": list(row.rank_interval) if row.rank_interval else None,
        "chance_first": _rounded(row.chance_first),
        "tie_group": row.tie_group,
        "incomparable": list(row.incomparable),
        "unreadable": {key: _rounded(result.unreadable) for key, result in started if result.unreadable is not None},
        **({"intent": intents} if intents else {}),
        "breakdowns": {key: _breakdowns(result) for key, result in started if result.breakdowns},
        "latency": {key: _latency(result.latency) for key, result in started if result.latency},
        "unscored": {key: result.lost for key, result in started if result.lost},
        "usage": {key: asdict(result.usage) for key, result in started},
        "fingerprints": {key: asdict(result.fingerprint) for key, result in started if result.fingerprint},
        "items": {key: {item: _rounded(score) for item, score in result.items.items()} for key, result in started},
        "logs": [path for _, result in started for path in result.logs],
    }


def _strict(row: BoardRow) -> dict[str, Any]:
    scores = {key: _rounded(result.strict) for key, result in row.results.items()}
    return {"strict": _rounded(row.strict), "strict_parts": row.parted, "strict_scores": scores}


def _pairs(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Rounded column by column: a hundred subjects have twenty thousand pairs."""
    columns = (
        _rounded_column(column) if float in set(map(type, column)) else column for column in zip(*pairs, strict=True)
    )
    return [dict(zip(Pair._fields, values, strict=True)) for values in zip(*columns, strict=True)]


def _rounded_column(column: Sequence[float | None]) -> list[float | None]:
    rounded = rounded_all(np.array(column, dtype=float)).tolist()
    return [None if old is None else new for old, new in zip(column, rounded, strict=True)]


def _breakdowns(result: CategoryResult) -> dict[str, Any]:
    return {
        dimension: {
            group: {"score": _rounded(part.score), "items": part.items, "interval": _interval(part.interval)}
            for group, part in groups.items()
        }
        for dimension, groups in result.breakdowns.items()
    }


def _latency(seconds: Mapping[str, float]) -> dict[str, Any]:
    items = {item: round(value, 3) for item, value in seconds.items()}
    return {"median_s": round(median(seconds.values()), 3), "items_s": items}


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return round(value, DECIMALS)
    # A leading apostrophe makes a spreadsheet treat the cell as text.
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    ends = {"low": _rounded(interval.low), "high": _rounded(interval.high)}
    return {**ends, "method": interval.method, "confidence": CONFIDENCE}
