"""Noise records on disk: one JSON file per fingerprint (`noise.schema.json`), found again by its hash.

A record says what it was made from and carries a hash of itself. One that is damaged, edited, of another version or of
another fingerprint is refused with one line: it decides whether a gain may be promoted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.errors import ArtifactError, InputError
from steelyard.gate.evidence.noise import Noise, NoisyTask
from steelyard.gate.model import Arm
from steelyard.git import inside, text_at
from steelyard.stamp import digest_of, is_sealed, sealed
from steelyard.stats.interval import wilson

SCHEMA = "noise"
SCHEMA_VERSION = 1
"""1: first shape."""

_CURE = "measure it again: steelyard gate plan --measure"


def fingerprint_of(identity: Mapping[str, object], tasks: Iterable[str]) -> str:
    """The hash of the fields that must be equal before runs may be compared; of the task names where there are none."""
    return digest_of(identity or {"tasks": sorted(set(tasks))})


def record_path(folder: Path, fingerprint: str) -> Path:
    """Where the record of a fingerprint is."""
    return folder / f"{fingerprint[:16]}.json"


def write_record(folder: Path, noise: Noise) -> Path:
    """Write a record; its path."""
    path = record_path(folder, noise.fingerprint)
    artifact.write_json(path, as_json(noise), schema=SCHEMA)
    return path


def find_record(folder: Path | None, arm: Arm, *, base: str | None = None, repo: Path | None = None) -> Noise | None:
    """The record for the fingerprint of an arm, if the folder has one.

    With a base, a git ref, the folder is the one there.
    """
    if folder is None:
        return None
    fingerprint = fingerprint_of(arm.identity, (run.task for run in arm.runs))
    path = record_path(folder, fingerprint)
    repo = repo or Path()
    # From the base: a change must not bring the floor that its own gain has to exceed.
    name = None if base is None else inside(path, repo)
    if base is not None and name is not None:
        text, source = text_at(name, base, repo), f"{base}:{name}"
    else:
        # lexists: a broken link is an error to report, not a missing record.
        text, source = artifact.read_text(path) if os.path.lexists(path) else None, str(path)
    noise = None if text is None else _parsed(text, source)
    if noise is not None and noise.fingerprint != fingerprint:
        raise InputError(f"{source} is the noise record of other tasks or settings", cure=_CURE)
    return noise


def newest_record(folder: Path) -> Path | None:
    """The record that was written last, if the folder has any."""
    return max(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, default=None)


def read_record(path: Path) -> Noise:
    """The record in a file."""
    return _parsed(artifact.read_text(path), str(path))


def _parsed(text: str, source: str) -> Noise:
    data = artifact.parse_json(text, source)
    try:
        artifact.validate(data, SCHEMA)
    except ArtifactError as error:
        raise InputError(f"{source} is not a noise record of this version: {error}", cure=_CURE) from error
    fields = cast(dict[str, Any], data)
    if not is_sealed(fields):
        raise InputError(f"{source} was changed after it was written", cure=_CURE)
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
    return sealed(data)


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
