"""Marking an existing log: by a judge into the log, or anew for a result without touching it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from steelyard.audit.files import read_brief, read_key
from steelyard.audit.marking import Way, marker, marks
from steelyard.audit.marking.questions import Brief
from steelyard.audit.model import Key, Output, Result
from steelyard.audit.read import AuditLog, outputs, read_audit_log
from steelyard.audit.scorer import audit_scorer
from steelyard.audit.tasks import fingerprint
from steelyard.audit.weigh import Spec, weigh
from steelyard.errors import InputError, LogError
from steelyard.judge.panel import Panel
from steelyard.judge.rescore import NothingToJudge, Rescored, rescore
from steelyard.logs.read import read_log


def rescore_log(path: str, panel: Panel, *, everything: bool) -> Rescored:
    """Have the panel mark the open runs of a log, or all; the old scores stay in its history."""
    row = read_log(path)
    if row.stamp is None:
        raise LogError(f"{path} is no log of an audit (its task is {row.task}), or carries no stamp")
    if row.stamp.wing != "audit":
        raise NothingToJudge(f"{path} is a log of {row.stamp.wing}, not of an audit")
    units = cast(Mapping[str, Mapping[str, str | None]], row.stamp.extra.get("units") or {})
    scope = cast(str | None, row.stamp.extra.get("perspective"))
    stamped = fingerprint(units, scope, "judge", panel)
    if stamped.dataset != row.stamp.fingerprint.dataset:
        raise InputError(f"{path}: key or document changed since the run", cure="restore them, or run again")
    scorer = audit_scorer(dict(units), scope, "judge", list(panel.judges), panel.repeats, panel.cache)
    return rescore(path, scorer, everything=everything, judge=stamped.judge, rubric=stamped.rubric)


def remarked(log: AuditLog, document: str, way: Way, key: Path | None, perspective: Path | None) -> Result:
    """The result of a log's outputs, marked again; `key` and `perspective` replace those of the run."""
    brief = _brief(log, document, key, perspective)
    texts = outputs(log, document)
    spec = Spec(log.name, log.round, brief.key, document)
    return weigh(spec, texts, marks(brief, texts, way), marker(brief, way))


def log_inputs(path: str, key: Path | None) -> tuple[Key, list[Output]]:
    """Key and texts of a log with one document: what an empty sheet is made from."""
    log = read_audit_log(path)
    if len(log.samples) != 1:
        raise InputError(f"{path} holds {len(log.samples)} documents", cure="a sheet is for one document")
    document = next(iter(log.samples))
    return _brief(log, document, key, None).key, outputs(log, document)


def _brief(log: AuditLog, document: str, key: Path | None, perspective: Path | None) -> Brief:
    scope = str(perspective) if perspective else cast(str | None, log.stamp.extra.get("perspective"))
    paths = log.paths(document)
    if key is None:
        return read_brief(paths, scope)
    found = read_brief({**paths, "key": None}, scope)
    return Brief(read_key(key), found.perspective, found.document)
