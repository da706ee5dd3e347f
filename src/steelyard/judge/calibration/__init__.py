"""Measuring a judge, remembering the result, and saying in every report whether a judge is calibrated.

Law: a record is bound to the judges, the rubric's hash and the prompts; whatever of these changes, the judge is
uncalibrated again. A record that did not pass, is damaged or is missing reads as `uncalibrated`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import anyio

from steelyard import artifact
from steelyard.errors import SteelyardError
from steelyard.judge.calibration.catalogue import Catalogue
from steelyard.judge.calibration.labels import Label, check, labels_sha
from steelyard.judge.calibration.measure import Calibration, Marked, measure
from steelyard.judge.case import canaries
from steelyard.judge.grade import Judgement, grade, mean_verdict
from steelyard.judge.panel import Panel
from steelyard.judge.parse import PARSER_VERSION, Verdict
from steelyard.judge.prompt import Question, identity, question, template
from steelyard.toolchain import cache_folder

SCHEMA_VERSION = 1
"""Of the calibration record. 1: the first."""

AT_ONCE = 8
"""Responses that are being graded at the same time."""

_REPEATS = re.compile(r" x\d+$")
"""How often a judge is asked makes it no other judge."""

Progress = Callable[[int, int], None]
"""Called with (done, all)."""


async def calibrate(rows: Sequence[Label], rubrics: Catalogue, panel: Panel, progress: Progress) -> Calibration:
    """Grade every labelled response, and the built-in canaries where the rubrics fit them, and measure."""
    check(rows, rubrics.first, "the labels")
    everything = [*rows, *canaries(rubrics.first)]
    asked = [question(rubrics.of(row), task=row.task, text=row.response) for row in everything]
    marked: dict[int, Marked] = {}
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def mark(index: int, row: Label) -> None:
        async with limiter:
            marked[index] = await _marked(row, asked[index], panel)
        progress(len(marked), len(everything))

    async with anyio.create_task_group() as group:
        for index, row in enumerate(everything):
            group.start_soon(mark, index, row)
    return measure([marked[index] for index in range(len(everything))])


async def _marked(row: Label, asked: Question[Verdict], panel: Panel) -> Marked:
    found = await grade(asked, panel)
    if not isinstance(found, Judgement):
        return Marked(row, None, reason=found.reason, flags=found.flags)
    draws: dict[str, list[Mapping[str, float]]] = {}
    for call, verdict in zip(found.calls, found.verdicts, strict=True):
        draws.setdefault(call.judge, []).append(verdict.scores)
    return Marked(row, mean_verdict(found).scores, draws, flags=found.flags)


def record(result: Calibration, rows: Sequence[Label], rubrics: Catalogue, panel: Panel) -> dict[str, Any]:
    """The calibration record as JSON data (schema `calibration`)."""
    return {
        "schema_version": SCHEMA_VERSION,
        "judge": _judges(panel),
        "rubric": rubrics.sha,
        "rubric_name": rubrics.name,
        "identities": list(rubrics.identities),
        "prompts": prompts_sha(),
        "labels": labels_sha(rows),
        "labelled_by": sorted({row.labelled_by for row in rows}),
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "repeats": panel.repeats,
        "n": len(result.marked),
        "scored": result.scored,
        "passed": result.passed,
        "kappa": None if result.kappa is None else asdict(result.kappa),
        "items": {
            item.item: {
                "errors": asdict(item.errors),
                "kappa": None if item.kappa is None else asdict(item.kappa),
                "tiers": {tier: asdict(errors) for tier, errors in item.tiers.items()},
                "same_band": item.same_band,
                "repeat_sd": item.repeat_sd,
                "passed": item.passed,
            }
            for item in result.items
        },
        "canaries": [
            {"id": each.label.id, "labels": each.label.labels, "scores": _plain(each), "reason": each.reason}
            for each in result.canaries
        ],
        "responses": [
            {"id": each.label.id, "tier": each.label.tier, "scores": _plain(each), "reason": each.reason}
            for each in result.marked
        ],
    }


def remember(data: dict[str, Any], path: Path | None = None) -> Path:
    """Write a record to `path`, or to the cache folder under every hash that names its rubrics; says where."""
    places = [path] if path else [record_path(str(data["judge"]), sha) for sha in data["identities"]]
    for place in places:
        artifact.write_json(place, data, schema="calibration")
    return places[0]


def record_path(judges: str, rubric_sha: str) -> Path:
    """Where the record of a judge on a rubric belongs."""
    name = hashlib.sha256(f"{judges}\n{rubric_sha}".encode()).hexdigest()[:24]
    return cache_folder() / "judge" / "calibration" / f"{name}.json"


def standing(panel: Panel, rubric_sha: str, path: Path | None = None) -> str:
    """`calibrated (κ 0.71)` or `uncalibrated`, for every report that used this panel on this rubric."""
    return standing_of(_judges(panel), rubric_sha, path)


def standing_of(judge: str, rubric_sha: str, path: Path | None = None) -> str:
    """`standing` from what a log's fingerprint holds: the panel's identity and the rubric's hash."""
    judges = _REPEATS.sub("", judge)
    try:
        found = artifact.read_json(path or record_path(judges, rubric_sha))
        artifact.validate(found, "calibration")
    except SteelyardError:
        return "uncalibrated"
    data = cast(dict[str, Any], found)
    named = (data["judge"], data["prompts"]) == (judges, prompts_sha())
    bound = named and rubric_sha in data["identities"]
    if not (bound and data["passed"] and data["kappa"] is not None):
        return "uncalibrated"
    return f"calibrated (κ {data['kappa']['value']:.2f})"


def prompts_sha() -> str:
    """The hash of the shipped prompts and the parser version."""
    return identity(template("criteria"), template("dimensions"), f"parser {PARSER_VERSION}")


def _judges(panel: Panel) -> str:
    return "+".join(sorted(panel.judges))


def _plain(each: Marked) -> dict[str, float] | None:
    return None if each.scores is None else dict(each.scores)
