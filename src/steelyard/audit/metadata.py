"""What a scored run leaves in the metadata of its Inspect score, and how it is read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from steelyard.audit.model import (
    POINTS,
    Cell,
    Criteria,
    Estimate,
    Extra,
    Finding,
    LeftOut,
    Location,
    Marker,
    Output,
    Probabilities,
    Problem,
    RunResult,
)

METADATA_KEY = "audit"
"""The entry of the score's metadata that holds the run."""

PASTED_BY_UNKNOWN = "unknown model, reply pasted"
"""Who marked when a pasted reply does not say which model gave it."""

_NO_CRITERIA = Criteria("", "", "")


def marker_data(marker: Marker) -> dict[str, Any]:
    """A marker as plain data."""
    return {"kind": marker.kind, "who": marker.who, "standing": marker.standing, "advisory": marker.kind == "lexical"}


def marker_from(data: Mapping[str, Any]) -> Marker:
    """A marker as `marker_data` wrote it."""
    return Marker(data["kind"], data["who"], data["standing"])


def problem_data(problem: Problem) -> dict[str, str]:
    """A problem without its criteria; reports need no more."""
    return {name: getattr(problem, name) for name in ("id", "title", "category", "severity", "location")}


def run_data(run: RunResult) -> dict[str, Any]:
    """One run with every decision about it."""
    return {
        "name": run.output.name,
        "score": run.score,
        "bonus": run.counted("bonus"),
        "penalty": run.counted("penalty"),
        "cells": [_cell_data(cell) for cell in run.cells],
        "extras": [asdict(extra) | {"finding": f"F{extra.finding:02d}"} for extra in run.extras],
        "findings": [_finding_data(finding) for finding in run.output.findings],
        "left_out": [asdict(part) for part in run.output.left_out],
        "flags": list(run.flags),
        "record": dict(run.record),
        **({"estimate": asdict(run.estimate)} if run.estimate else {}),
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    return {
        "problem": cell.problem,
        "mark": cell.mark,
        "points": POINTS[cell.mark],
        "finding": None if cell.finding is None else f"F{cell.finding:02d}",
        "quote": cell.quote,
        "note": cell.note,
        **({"probabilities": asdict(cell.probabilities)} if cell.probabilities else {}),
    }


def _finding_data(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        **{name: getattr(finding, name) for name in ("title", "text", "line", "end")},
        "locations": [asdict(place) for place in finding.locations],
        "group": finding.group,
    }


def problems_from(data: Sequence[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """Problems without criteria."""
    return tuple(Problem(criteria=_NO_CRITERIA, **entry) for entry in data)


def run_from(data: Mapping[str, Any], text: str = "") -> RunResult:
    """A run as `run_data` wrote it."""
    findings = tuple(_finding(entry) for entry in data["findings"])
    cells = tuple(_cell(entry) for entry in data["cells"])
    extras = tuple(Extra(**dict[str, Any](entry, finding=int(entry["finding"][1:]))) for entry in data["extras"])
    left_out = tuple(LeftOut(**part) for part in data.get("left_out", ()))
    output = Output(data["name"], text, findings, tuple(data["flags"]), left_out)
    estimate = estimate_from(data.get("estimate"))
    return RunResult(output, cells, extras, data["score"], tuple(data["flags"]), data["record"], estimate)


def estimate_from(data: Mapping[str, Any] | None) -> Estimate | None:
    """An estimate as it was written; None for points that are not one."""
    return Estimate(**data) if data else None


def _cell(entry: Mapping[str, Any]) -> Cell:
    chances = Probabilities(**entry["probabilities"]) if entry.get("probabilities") else None
    finding = None if entry["finding"] is None else int(entry["finding"][1:])
    return Cell(entry["problem"], entry["mark"], finding, entry["quote"], entry["note"], chances)


def _finding(entry: Mapping[str, Any]) -> Finding:
    """A finding as `_finding_data` wrote it; older files have no locations."""
    places = tuple(Location(**place) for place in entry.get("locations", ()))
    fields = {name: entry[name] for name in ("text", "title", "line", "end")}
    return Finding(index=int(entry["id"][1:]), **fields, locations=places, group=entry.get("group", ""))
