"""Results, suites, comparisons and histories as JSON, each as its schema describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.audit.metadata import marker_data, problem_data, run_data
from steelyard.audit.model import Result, SuiteResult
from steelyard.audit.score import rates

RESULT_VERSION = 1
"""1: first shape."""


def result_data(result: Result, *, generated_at: str | None = None) -> dict[str, Any]:
    """A result as `audit.schema.json` describes it."""
    return {
        "schema_version": RESULT_VERSION,
        "kind": "audit",
        "generated_at": generated_at,
        "name": result.name,
        "round": result.round,
        "document": result.document,
        "key_hash": result.key_hash,
        "marker": marker_data(result.marker),
        "mean": result.mean,
        "sd": result.sd,
        "sd_interval": None if result.sd_interval is None else list(result.sd_interval),
        "stability": result.stability,
        **_optional(result, "agreement"),
        "detected": result.count("detected"),
        "partial": result.count("partial"),
        "missed": result.count("missed"),
        "rates": asdict(rates(result.problems, result.runs)),
        "problems": [problem_data(problem) for problem in result.problems],
        "runs": [run_data(run) for run in result.runs],
        **({"judge_agreement": dict(result.judge_agreement)} if result.judge_agreement else {}),
        **_optional(result, "estimate"),
        "warnings": list(result.warnings),
    }


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
        **_optional(suite, "agreement"),
        "rates": asdict(suite.rates),
        "false_alarms": suite.false_alarms,
        **({"absent": list(suite.absent)} if suite.absent else {}),
        **_optional(suite, "estimate"),
        "documents": [result_data(result, generated_at=generated_at) for result in suite.results],
    }


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """A comparison as `audit-comparison.schema.json` describes it."""
    return {
        "schema_version": RESULT_VERSION,
        "kind": "audit-comparison",
        "before": comparison.before,
        "after": comparison.after,
        "delta": comparison.delta,
        "band": comparison.band,
        "verdict": comparison.verdict,
        "by_runs": asdict(comparison.by_runs) if comparison.by_runs else None,
        "by_problems": asdict(comparison.by_problems) if comparison.by_problems else None,
        "reading": comparison.reading,
        "documents": [{"document": name, "before": old, "after": new} for name, old, new in comparison.documents],
        "changes": [
            {
                "document": change.document,
                "problem": change.problem.id,
                "title": change.problem.title,
                "severity": change.problem.severity,
                "before": change.before,
                "after": change.after,
                "delta": change.delta,
            }
            for change in comparison.changes
        ],
        "warnings": list(comparison.warnings),
        **({"undecided": comparison.undecided} if comparison.undecided else {}),
    }


def history_data(history: History) -> dict[str, Any]:
    """A history as `audit-history.schema.json` describes it."""
    return {
        "schema_version": RESULT_VERSION,
        "kind": "audit-history",
        "lines": [
            {
                "name": series.name,
                "document": series.document,
                "rounds": [
                    {name: getattr(dated.result, name) for name in ("round", "mean", "sd", "stability")}
                    | {"source": dated.source}
                    for dated in series.results
                ],
            }
            for series in history.series
        ],
        "blind_spots": [asdict(spot) for spot in history.blind_spots],
    }


def _optional(found: Result | SuiteResult, name: Literal["agreement", "estimate"]) -> dict[str, Any]:
    """What not every result has, under its name."""
    value = getattr(found, name)
    return {name: asdict(value)} if value else {}
