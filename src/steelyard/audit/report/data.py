"""Suites, comparisons and histories as JSON."""

from __future__ import annotations

from typing import Any

from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.audit.metadata import RESULT_VERSION, rates_data, result_data
from steelyard.audit.pool import SuiteResult
from steelyard.stats.interval import Interval


def suite_data(suite: SuiteResult, *, generated_at: str | None = None) -> dict[str, Any]:
    """A suite's result as `audit-suite.schema.json` describes it."""
    return {
        "schema_version": RESULT_VERSION,
        "kind": "audit-suite",
        "generated_at": generated_at,
        "suite": suite.suite,
        "name": suite.name,
        "round": suite.round,
        "points": suite.points,
        "sd": suite.sd,
        "sd_interval": None if suite.sd_interval is None else list(suite.sd_interval),
        "stability": suite.stability,
        "rates": rates_data(suite.rates),
        "false_alarms": suite.false_alarms,
        "documents": [result_data(each, generated_at=generated_at) for each in suite.results],
    }


def comparison_data(found: Comparison) -> dict[str, Any]:
    """A comparison as `audit-comparison.schema.json` describes it."""
    return {
        "schema_version": RESULT_VERSION,
        "kind": "audit-comparison",
        "before": found.before,
        "after": found.after,
        "delta": found.delta,
        "band": found.band,
        "by_runs": _interval(found.by_runs),
        "by_problems": _interval(found.by_problems),
        "reading": found.reading,
        "documents": [{"document": name, "before": old, "after": new} for name, old, new in found.documents],
        "changes": [
            {
                "document": each.document,
                "problem": each.problem.id,
                "title": each.problem.title,
                "severity": each.problem.severity,
                "before": each.before,
                "after": each.after,
                "delta": each.delta,
            }
            for each in found.changes
        ],
        "warnings": list(found.warnings),
    }


def history_data(found: History) -> dict[str, Any]:
    """A history as `audit-history.schema.json` describes it."""
    return {
        "schema_version": RESULT_VERSION,
        "kind": "audit-history",
        "lines": [
            {
                "name": line.name,
                "document": line.document,
                "rounds": [
                    {
                        "round": entry.result.round,
                        "mean": entry.result.mean,
                        "sd": entry.result.sd,
                        "stability": entry.result.stability,
                        "source": entry.source,
                    }
                    for entry in line.entries
                ],
            }
            for line in found.lines
        ],
        "blind_spots": [
            {
                "kind": each.kind,
                "what": each.what,
                "missed": each.missed,
                "cells": each.cells,
                "rounds": each.rounds,
                "of": each.of,
            }
            for each in found.blind
        ],
    }


def _interval(found: Interval | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {name: getattr(found, name) for name in ("estimate", "low", "high", "se", "method", "n")}
