"""Results, suites, comparisons and histories as JSON, each as its schema describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard import artifact
from steelyard.audit.agreement.people import TwoOpinions
from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.audit.metadata import marker_data, problem_data, run_data
from steelyard.audit.model import Agreement, Estimate, Output, Rates, Result, SuiteResult
from steelyard.audit.report.agreement import agreement_data
from steelyard.audit.report.findings import findings_data
from steelyard.audit.report.scoring_check import scoring_check_data
from steelyard.audit.score import rates
from steelyard.audit.scorings import Scoring
from steelyard.stats.interval import Interval

RESULT_VERSION = 1
"""1: first shape."""


def to_json(
    report: Result | SuiteResult | Comparison | History | Output | Scoring | TwoOpinions, written_at: str
) -> str:
    """Any report as JSON text that satisfies its schema; `written_at` is ISO 8601."""
    match report:
        case Result():
            return artifact.json_text(result_data(report, generated_at=written_at), schema="audit")
        case SuiteResult():
            return artifact.json_text(suite_data(report, generated_at=written_at), schema="audit-suite")
        case Comparison():
            return artifact.json_text(comparison_data(report), schema="audit-comparison")
        case History():
            return artifact.json_text(history_data(report), schema="audit-history")
        case Output():
            return artifact.json_text(findings_data(report), schema="audit-findings")
        case Scoring():
            return artifact.json_text(scoring_check_data(report), schema="audit-import")
        case TwoOpinions():
            return artifact.json_text(agreement_data(report), schema="audit-agreement")


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
        **_agreed(result.agreement),
        "detected": result.count("detected"),
        "partial": result.count("partial"),
        "missed": result.count("missed"),
        "rates": rates_data(rates(result.problems, result.runs)),
        "problems": [problem_data(problem) for problem in result.problems],
        "runs": [run_data(run) for run in result.runs],
        **({"judge_agreement": dict(result.judge_agreement)} if result.judge_agreement else {}),
        **_estimated(result.estimate),
        "warnings": list(result.warnings),
    }


def rates_data(shares: Rates) -> dict[str, float | None]:
    """The shares that are reported beside the points."""
    names = ("precision", "recall", "f1", "weighted_recall")
    return {name: getattr(shares, name) for name in names}


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
        **_agreed(suite.agreement),
        "rates": rates_data(suite.rates),
        "false_alarms": suite.false_alarms,
        **({"absent": list(suite.absent)} if suite.absent else {}),
        **_estimated(suite.estimate),
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
        "by_runs": _interval(comparison.by_runs),
        "by_problems": _interval(comparison.by_problems),
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
                    {
                        "round": dated.result.round,
                        "mean": dated.result.mean,
                        "sd": dated.result.sd,
                        "stability": dated.result.stability,
                        "source": dated.source,
                    }
                    for dated in series.results
                ],
            }
            for series in history.series
        ],
        "blind_spots": [
            {
                "kind": spot.kind,
                "what": spot.what,
                "missed": spot.missed,
                "cells": spot.cells,
                "rounds": spot.rounds,
                "of": spot.of,
            }
            for spot in history.blind_spots
        ],
    }


def _agreed(agreement: Agreement | None) -> dict[str, Any]:
    return {"agreement": asdict(agreement)} if agreement else {}


def _estimated(estimate: Estimate | None) -> dict[str, Any]:
    return {"estimate": asdict(estimate)} if estimate else {}


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {name: getattr(interval, name) for name in ("estimate", "low", "high", "se", "method", "n")}
