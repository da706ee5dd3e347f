"""Audit logs read back: texts for marking again, decided runs for results."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard.audit.findings import read_output
from steelyard.audit.metadata import problems_from, run_from
from steelyard.audit.model import EMPTY_KEY, Marker, Output, Result, RunResult
from steelyard.audit.scorer import METADATA_KEY, SCORER_NAME
from steelyard.audit.weigh import Spec, result_of, run_warnings
from steelyard.errors import InputError, JudgeError, LogError, boundary
from steelyard.logs.identity import Stamp
from steelyard.logs.read import MEMBER_LIMIT, read_log, read_samples
from steelyard.logs.scores import outcome_of
from steelyard.outcome import Unscored

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample


@dataclass(frozen=True, slots=True)
class AuditLog:
    """One audit log: what it was about, and its runs per document."""

    path: str
    stamp: Stamp
    samples: Mapping[str, tuple[EvalSample, ...]]
    """Document id → its runs in order."""

    @property
    def name(self) -> str:
        return str(self.stamp.extra.get("name") or "agent")

    @property
    def round(self) -> int:
        return int(self.stamp.extra.get("round") or 1)

    def paths(self, document: str) -> Mapping[str, str | None]:
        """Where key and document were when the log was made."""
        units = cast(Mapping[str, Mapping[str, str | None]], self.stamp.extra.get("units") or {})
        return units.get(document, {})


def read_audit_log(path: str | Path) -> AuditLog:
    """An audit's log with its samples; `LogError` for any other log, and for runs that never answered."""
    row = read_log(path)
    if row.stamp is None or row.stamp.wing != "audit":
        raise LogError(f"{path} is no log of an audit (its task is {row.task})")
    if row.status != "success":
        raise LogError(f"{path} ended as {row.status!r}", cure="run the audit again")
    _refuse_bomb(path)
    found: dict[str, list[EvalSample]] = {}
    for sample in read_samples(path):
        if sample.error is not None:
            raise LogError(f"{path}: run {sample.epoch} of {sample.id} failed: {sample.error.message}")
        found.setdefault(str(sample.id), []).append(sample)
    if not found:
        raise LogError(f"{path} holds no run")
    ordered = {name: tuple(sorted(each, key=lambda one: one.epoch)) for name, each in found.items()}
    _refuse_gaps(path, ordered, row.epochs, row.sample_ids)
    return AuditLog(str(path), row.stamp, ordered)


def _refuse_bomb(path: str | Path) -> None:
    """A sample that would unpack to more than any answer is refused before it is unpacked."""
    if "://" in str(path) or not str(path).endswith(".eval"):
        return
    with boundary(LogError, f"cannot read {path}"), zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.file_size > MEMBER_LIMIT:
                raise LogError(f"{path}: {info.filename} would unpack to {info.file_size // 1_000_000} MB")


def _refuse_gaps(
    path: str | Path, samples: Mapping[str, tuple[EvalSample, ...]], epochs: int, ids: tuple[str, ...]
) -> None:
    for name in ids or tuple(samples):
        done = len(samples.get(name, ()))
        if done < epochs:
            raise LogError(f"{path}: {done} of {epochs} runs of {name} are there", cure="run the audit again")


def outputs(log: AuditLog, document: str) -> list[Output]:
    """The texts of one document's runs."""
    return [read_output(each.output.completion, f"run{each.epoch}") for each in log.samples[document]]


def recorded(log: AuditLog, document: str) -> Result:
    """The result as it was scored when the log was made; an unscored run is a `JudgeError`."""
    runs, carried = list[RunResult](), dict[str, Any]()
    for sample in log.samples[document]:
        score = (sample.scores or {}).get(SCORER_NAME)
        if score is None:
            raise LogError(f"{log.path}: run {sample.epoch} of {document} has no audit score")
        outcome = outcome_of(score.value, reason=score.reason, explanation=score.explanation)
        carried = score.metadata or {}
        if isinstance(outcome, Unscored):
            raise JudgeError(
                f"run {sample.epoch} of {document} is unscored: {outcome.reason}",
                cure=f"steelyard audit rescore {log.path} --judge NAME",
            )
        if METADATA_KEY not in carried:
            raise InputError(f"{log.path}: the score of run {sample.epoch} is not one of ours")
        runs.append(run_from(carried[METADATA_KEY], read_output(sample.output.completion, "").text))
    marker = carried["marker"]
    flagged = [f"{run.output.name}: {flag}" for run in runs for flag in run.flags]
    spec = Spec(log.name, log.round, EMPTY_KEY, document)
    return result_of(
        spec,
        problems_from(carried["problems"]),
        runs,
        Marker(marker["kind"], marker["who"], marker["standing"]),
        str(carried["key_hash"]),
        [*flagged, *run_warnings(runs, control=not carried["problems"])],
    )
