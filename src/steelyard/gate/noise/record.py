"""Noise records on disk: one JSON file per fingerprint (`noise.schema.json`), found again by its hash.

A record says what it was made from and carries a hash of itself. One that is damaged, edited, of another version or of
another fingerprint is refused with one line: it decides whether a gain may be promoted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.errors import ArtifactError, InputError
from steelyard.gate.evidence.noise import Noise, NoisyTask
from steelyard.gate.model import Arm
from steelyard.stats.interval import wilson

SCHEMA = "noise"
SCHEMA_VERSION = 1
"""1: first shape."""

_CURE = "measure it again: steelyard gate noise"


def fingerprint_of(identity: Mapping[str, object], tasks: Iterable[str]) -> str:
    """The hash of the fields that must be equal before runs may be compared; of the task names where there are none."""
    return _hash(identity or {"tasks": sorted(set(tasks))})


def record_path(folder: Path, fingerprint: str) -> Path:
    """Where the record of a fingerprint is."""
    return folder / f"{fingerprint[:16]}.json"


def write_record(folder: Path, noise: Noise) -> Path:
    """Write a record; its path."""
    path = record_path(folder, noise.fingerprint)
    artifact.write_json(path, as_json(noise), schema=SCHEMA)
    return path


def find_record(folder: Path | None, arm: Arm) -> Noise | None:
    """The record for the fingerprint of an arm, if the folder has one."""
    if folder is None or not folder.is_dir():
        return None
    fingerprint = fingerprint_of(arm.identity, (run.task for run in arm.runs))
    path = record_path(folder, fingerprint)
    if not path.is_file():
        return None
    noise = read_record(path)
    if noise.fingerprint != fingerprint:
        raise InputError(f"{path} is the noise record of other tasks or settings", cure=_CURE)
    return noise


def newest_record(folder: Path) -> Path | None:
    """The record that was written last, if the folder has any."""
    return max(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, default=None)


def read_record(path: Path) -> Noise:
    """The record in a file."""
    data = artifact.read_json(path)
    try:
        artifact.validate(data, SCHEMA)
    except ArtifactError as error:
        raise InputError(f"{path} is not a noise record of this version: {error}", cure=_CURE) from error
    fields = cast(dict[str, Any], data)
    if fields["sha"] != _hash({name: value for name, value in fields.items() if name != "sha"}):
        raise InputError(f"{path} was changed after it was written", cure=_CURE)
    names = ("fingerprint", "created", "rounds", "floor", "resamples", "seed", "round_sd", "usd_per_round")
    return Noise(
        **{name: fields[name] for name in names},
        tasks=tuple(_task(task) for task in fields["tasks"]),
        false_verdicts=fields["false_verdicts"],
    )


def as_json(noise: Noise) -> dict[str, Any]:
    """The record as JSON."""
    data = {"schema_version": SCHEMA_VERSION, **asdict(noise), "tasks": [_task_data(task) for task in noise.tasks]}
    data["false_verdicts"] = {policy: dict(shares) for policy, shares in noise.false_verdicts.items()}
    return {**data, "sha": _hash(data)}


def json_text(noise: Noise) -> str:
    """The record as the text of its file."""
    return artifact.json_text(as_json(noise), schema=SCHEMA)


def _task_data(task: NoisyTask) -> dict[str, Any]:
    fields = asdict(task)
    rates = cast(dict[str, float], fields.pop("pass_rates"))
    variance = None if task.composite_sd is None else task.composite_sd**2
    return {**fields, "composite_variance": variance, "checks": [_check(*rate, task.runs) for rate in rates.items()]}


def _check(name: str, rate: float, runs: int) -> dict[str, Any]:
    flakes = wilson(runs * min(rate, 1 - rate), runs)
    return {
        "check": name,
        "pass_rate": rate,
        "flake_rate": flakes.estimate,
        "flake_low": flakes.low,
        "flake_high": flakes.high,
    }


def _task(data: Mapping[str, Any]) -> NoisyTask:
    names = ("task", "runs", "composite_sd", "flake_rate", "flake_low", "flake_high", "judge_sd", "judge_weight")
    rates = {check["check"]: check["pass_rate"] for check in data["checks"]}
    return NoisyTask(**{name: data[name] for name in names}, pass_rates=rates)


def _hash(fields: Mapping[str, Any]) -> str:
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
