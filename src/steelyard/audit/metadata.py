"""Results as JSON and back: what `--json` writes, what a log carries, what `compare` and `history` read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.audit.model import (
    POINTS,
    Cell,
    Criteria,
    Extra,
    Finding,
    Marker,
    Output,
    Problem,
    Rates,
    Result,
    RunResult,
)
from steelyard.audit.score import rates
from steelyard.errors import InputError, boundary

RESULT_VERSION = 1
"""1: first shape."""

_NO_CRITERIA = Criteria("", "", "")


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
        "detected": result.count("detected"),
        "partial": result.count("partial"),
        "missed": result.count("missed"),
        "rates": rates_data(rates(result.problems, result.runs)),
        "problems": [problem_data(each) for each in result.problems],
        "runs": [run_data(each) for each in result.runs],
        **({"judge_agreement": dict(result.judge_agreement)} if result.judge_agreement else {}),
        "warnings": list(result.warnings),
    }


def marker_data(marker: Marker) -> dict[str, Any]:
    """Who marked."""
    return {"kind": marker.kind, "who": marker.who, "standing": marker.standing, "advisory": marker.kind == "lexical"}


def rates_data(found: Rates) -> dict[str, float | None]:
    """The shares beside the points."""
    names = ("precision", "recall", "f1", "weighted_recall")
    return {name: getattr(found, name) for name in names}


def problem_data(problem: Problem) -> dict[str, str]:
    """A problem without its criteria: what reports need."""
    return {name: getattr(problem, name) for name in ("id", "title", "category", "severity", "location")}


def run_data(run: RunResult) -> dict[str, Any]:
    """One run with everything that was decided about it."""
    return {
        "name": run.output.name,
        "score": run.score,
        "bonus": run.counted("bonus"),
        "penalty": run.counted("penalty"),
        "cells": [_cell_data(each) for each in run.cells],
        "extras": [_extra_data(each) for each in run.extras],
        "findings": [_finding_data(each) for each in run.output.findings],
        "flags": list(run.flags),
        "record": dict(run.record),
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    finding = None if cell.finding is None else f"F{cell.finding:02d}"
    return {
        "problem": cell.problem,
        "mark": cell.mark,
        "points": POINTS[cell.mark],
        "finding": finding,
        "quote": cell.quote,
        "note": cell.note,
    }


def _extra_data(extra: Extra) -> dict[str, Any]:
    return {
        "finding": f"F{extra.finding:02d}",
        "verdict": extra.verdict,
        "title": extra.title,
        "reason": extra.reason,
        "counted": extra.counted,
    }


def _finding_data(finding: Finding) -> dict[str, Any]:
    fields = {name: getattr(finding, name) for name in ("title", "text", "line", "end")}
    return {"id": finding.id, **fields}


def result_from(data: Any, source: str) -> Result:
    """A result from JSON that passed its schema; `source` names it in errors."""
    if not isinstance(data, dict) or data.get("kind") != "audit":  # pyright: ignore[reportUnknownMemberType]
        raise InputError(f"{source} is no audit result", cure="`steelyard audit score … --json FILE` writes one")
    with boundary(InputError, f"{source} is no audit result"):
        return _result(data)  # pyright: ignore[reportUnknownArgumentType]


def _result(data: Mapping[str, Any]) -> Result:
    marker = data["marker"]
    interval = data["sd_interval"]
    return Result(
        name=data["name"],
        round=data["round"],
        problems=problems_from(data["problems"]),
        runs=tuple(run_from(each) for each in data["runs"]),
        mean=data["mean"],
        sd=data["sd"],
        stability=data["stability"],
        marker=Marker(marker["kind"], marker["who"], marker["standing"]),
        key_hash=data["key_hash"],
        document=data["document"],
        sd_interval=None if interval is None else (interval[0], interval[1]),
        judge_agreement=data.get("judge_agreement"),
        warnings=tuple(data["warnings"]),
    )


def problems_from(data: Sequence[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """Problems without criteria."""
    return tuple(Problem(criteria=_NO_CRITERIA, **each) for each in data)


def run_from(data: Mapping[str, Any], text: str = "") -> RunResult:
    """A run as `run_data` wrote it."""
    findings = tuple(Finding(index=int(each["id"][1:]), **_without(each, "id")) for each in data["findings"])
    cells = tuple(
        Cell(each["problem"], each["mark"], _index(each["finding"]), each["quote"], each["note"])
        for each in data["cells"]
    )
    extras = tuple(Extra(finding=int(each["finding"][1:]), **_without(each, "finding")) for each in data["extras"])
    output = Output(data["name"], text, findings, tuple(data["flags"]))
    return RunResult(output, cells, extras, data["score"], tuple(data["flags"]), data["record"])


def _index(name: str | None) -> int | None:
    return None if name is None else int(name[1:])


def _without(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key != name}
