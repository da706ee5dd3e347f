"""The calibration record: stored after a measurement, and looked up by every report that used a judge.

It is bound to the judges, the rubric's hash and the prompts; if any of these changes, the judge is uncalibrated again.
A record that did not pass, is damaged or is missing reads as `uncalibrated`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from steelyard import artifact
from steelyard.errors import SteelyardError
from steelyard.judge.calibration.labels import Catalogue, Label
from steelyard.judge.calibration.measure import Agreement, Calibration, Marked
from steelyard.judge.panel import Panel, judges_in
from steelyard.judge.parse import PARSER_VERSION
from steelyard.judge.protocol import identity, template
from steelyard.toolchain import cache_folder

SCHEMA_VERSION = 1
"""Of the calibration record. 1: the first."""


def record(result: Calibration, labels: Sequence[Label], rubrics: Catalogue, panel: Panel) -> dict[str, Any]:
    """The calibration record as JSON data (schema `calibration`)."""
    told = "\n".join(row.model_dump_json() for row in labels)
    return {
        "schema_version": SCHEMA_VERSION,
        # Without the repeats: asking a judge more often does not make it another one.
        "judge": "+".join(sorted(panel.judges)),
        "rubric": rubrics.sha,
        "rubric_name": rubrics.name,
        "identities": list(rubrics.identities),
        "prompts": prompts_sha(),
        "labels": hashlib.sha256(told.encode()).hexdigest()[:16],
        "labelled_by": sorted({label.labelled_by for label in labels}),
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "repeats": panel.repeats,
        "n": len(result.marked),
        "scored": result.scored,
        "passed": result.passed,
        "kappa": None if result.kappa is None else asdict(result.kappa),
        "items": {item.item: _item(item) for item in result.items},
        "decoys": dict(zip(("tripped", "responses"), result.tripped, strict=True)),
        "unusable": result.unusable,
        "quoted": None if result.quoted is None else asdict(result.quoted),
        "totals": [
            [round(rubrics.of(row.label).total(grades), 6) for grades in (row.scores, row.label.labels)]
            for row in result.marked
            if row.scores is not None
        ],
        "canaries": [{"id": row.label.id, "labels": row.label.labels, **_answer(row)} for row in result.controls],
        "responses": [{"id": row.label.id, "tier": row.label.tier, **_answer(row)} for row in result.marked],
    }


def save(data: dict[str, Any], path: Path | None = None) -> Path:
    """Write a record to `path`, or to the cache under every hash of its rubrics; the (first) file written."""
    places = [path] if path else [record_path(str(data["judge"]), sha) for sha in data["identities"]]
    for place in places:
        artifact.write_json(place, data, schema="calibration")
    return places[0]


def record_path(judges: str, rubric_sha: str) -> Path:
    """Where the cache keeps the record of a judge on a rubric."""
    # Names of judges hold slashes.
    name = hashlib.sha256(f"{judges}\n{rubric_sha}".encode()).hexdigest()[:24]
    return cache_folder() / "judge" / "calibration" / f"{name}.json"


def calibration_status(judge: str, rubric_sha: str) -> str:
    """`calibrated (κ 0.71)` or `uncalibrated`: this judge on this rubric, both as a log's fingerprint holds them."""
    data = _stored(judges_in(judge), rubric_sha)
    if data is None or not data["passed"] or data["kappa"] is None:
        return "uncalibrated"
    return f"calibrated (κ {data['kappa']['value']:.2f})"


def _stored(judges: str, rubric_sha: str) -> dict[str, Any] | None:
    """The record of these judges on this rubric by the present prompts; None without a valid one."""
    try:
        data: dict[str, Any] = artifact.read_json(record_path(judges, rubric_sha))
        artifact.validate(data, "calibration")
    except SteelyardError:
        return None
    same_judge = (data["judge"], data["prompts"]) == (judges, prompts_sha())
    return data if same_judge and rubric_sha in data["identities"] else None


def labelled_totals(judge: str, rubric_sha: str) -> tuple[tuple[float, float], ...]:
    """The whole score by this judge and by people per labelled response on this rubric; empty without a record."""
    data = _stored(judges_in(judge), rubric_sha) or {}
    return tuple((pair[0], pair[1]) for pair in data.get("totals", []))


def _item(item: Agreement) -> dict[str, Any]:
    return {name: value for name, value in asdict(item).items() if name != "item"} | {"passed": item.passed}


def prompts_sha() -> str:
    """The hash of the shipped prompts and the parser version."""
    return identity(template("criteria"), template("dimensions"), f"parser {PARSER_VERSION}")


def _answer(row: Marked) -> dict[str, Any]:
    return {"scores": row.scores, "reason": row.reason}
