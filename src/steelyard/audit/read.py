"""Audit logs: their outputs, for marking again, and their scored runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.audit.findings import read_output
from steelyard.audit.metadata import METADATA_KEY, marker_from, problems_from, run_from
from steelyard.audit.model import Marker, Output, Problem, RunResult
from steelyard.audit.scorer import SCORER_NAME
from steelyard.errors import InputError, JudgeError, LogError, boundary, command
from steelyard.logs.field_types import mapping_or_empty, whole
from steelyard.logs.read import OpenLog, open_log
from steelyard.logs.scores import outcome_of
from steelyard.outcome import Scored, Unscored
from steelyard.rows import LogRow
from steelyard.stamp import Stamp

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

    from steelyard.location import Location


@dataclass(frozen=True, slots=True)
class AuditLog:
    """One audit log: its subject, and its runs by document."""

    path: str
    created: str
    """ISO 8601."""
    stamp: Stamp
    samples: Mapping[str, tuple[EvalSample, ...]]
    """Document id → its runs in order."""

    @property
    def name(self) -> str:
        return str(self.stamp.extra.get("name") or "agent")

    @property
    def round(self) -> int:
        return whole(self.stamp.extra.get("round") or 1, f"{self.path}: round")

    def paths(self, document: str) -> Mapping[str, str | None]:
        """The paths of key and document at the time of the run."""
        units = mapping_or_empty(self.stamp.extra.get("units"), f"{self.path}: units")
        return mapping_or_empty(units.get(document), f"{self.path}: units")


@dataclass(frozen=True, slots=True)
class ScoredRuns:
    """The runs of one document as they were scored when the log was written."""

    runs: tuple[RunResult, ...]
    problems: tuple[Problem, ...]
    """Without their criteria, which a log does not store."""
    key_hash: str
    marker: Marker


def is_audit(row: LogRow) -> bool:
    """Whether a log was written by an audit."""
    return row.stamp is not None and row.stamp.wing == "audit"


def read_audit_log(path: str | Location) -> AuditLog:
    """An audit log with its samples.

    Raises:
        LogError: It is not an audit log, it ended early, or runs are missing or failed.
    """
    with open_log(path) as log:
        return audit_log(log)


def audit_log(log: OpenLog) -> AuditLog:
    """`read_audit_log` for a log that is open."""
    row, path = log.row, log.row.path
    if row.stamp is None or not is_audit(row):
        raise LogError(f"{path} is not an audit log (its task is {row.task})")
    if row.status != "success":
        raise LogError(f"{path} ended as {row.status!r}", cure="run the audit again")
    runs: dict[str, list[EvalSample]] = {}
    for sample in log.samples():
        if sample.error is not None:
            raise LogError(f"{path}: run {sample.epoch} of {sample.id} failed: {sample.error.message}")
        # Without its transcript, which nothing here reads: a log of many runs would not fit into memory.
        runs.setdefault(str(sample.id), []).append(sample.model_copy(update={"messages": [], "attachments": {}}))
    if not runs:
        raise LogError(f"{path} has no runs")
    ordered = {name: tuple(sorted(samples, key=lambda sample: sample.epoch)) for name, samples in runs.items()}
    _refuse_gaps(path, ordered, row.epochs, row.sample_ids)
    return AuditLog(path, row.created, row.stamp, ordered)


def _refuse_gaps(path: str, samples: Mapping[str, tuple[EvalSample, ...]], epochs: int, ids: tuple[str, ...]) -> None:
    for name in ids or tuple(samples):
        done = len(samples.get(name, ()))
        if done < epochs:
            raise LogError(f"{path}: {done} of {epochs} runs of {name} are there", cure="run the audit again")


def outputs(log: AuditLog, document: str) -> list[Output]:
    """The outputs of one document's runs; in a log of several documents their names carry the document."""
    prefix = f"{document} " if len(log.samples) > 1 else ""
    return [read_output(sample.output.completion, f"{prefix}run{sample.epoch}") for sample in log.samples[document]]


def only_document(log: AuditLog, cure: str) -> str:
    """The document of a log that holds one; `cure` says what to do with several."""
    if len(log.samples) != 1:
        raise InputError(f"{log.path} holds {len(log.samples)} documents", cure=cure)
    return next(iter(log.samples))


def scored_runs(log: AuditLog, document: str) -> ScoredRuns:
    """The scored runs of one document; raises `JudgeError` for a run without a score."""
    carried = [_score_metadata(log, document, sample) for sample in log.samples[document]]
    # What another program wrote there, or an edit left, may be anything.
    with boundary(LogError, f"{log.path}: the scores of {document} cannot be read"):
        runs = tuple(
            # For its text alone: the findings are those that were scored.
            run_from(metadata[METADATA_KEY], read_output(sample.output.completion, "").text)
            for metadata, sample in zip(carried, log.samples[document], strict=True)
        )
        for run in runs:
            Scored(run.score)  # a finite number
        last = carried[-1]
        return ScoredRuns(runs, problems_from(last["problems"]), str(last["key_hash"]), marker_from(last["marker"]))


def _score_metadata(log: AuditLog, document: str, sample: EvalSample) -> dict[str, Any]:
    score = (sample.scores or {}).get(SCORER_NAME)
    if score is None:
        raise LogError(f"{log.path}: run {sample.epoch} of {document} has no audit score")
    outcome = outcome_of(score.value, reason=score.reason, explanation=score.explanation)
    if isinstance(outcome, Unscored):
        raise JudgeError(
            f"run {sample.epoch} of {document} is unscored: {outcome.reason}",
            cure=command("steelyard", "rescore", log.path, "--judge", "NAME"),
        )
    metadata = score.metadata or {}
    if METADATA_KEY not in metadata:
        raise InputError(f"{log.path}: the score of run {sample.epoch} was not written by this program")
    return metadata
