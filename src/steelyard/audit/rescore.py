"""Marking an existing log again: by a judge, stored in the log, or any other way without changing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from steelyard.audit.files import other_keys, read_brief, source_of
from steelyard.audit.marking import ByJudge, Way, marker, marks
from steelyard.audit.marking.questions import Brief
from steelyard.audit.model import Result
from steelyard.audit.read import AuditLog, outputs
from steelyard.audit.scorer import audit_scorer
from steelyard.audit.tasks import fingerprint
from steelyard.audit.weigh import Spec, weigh
from steelyard.errors import InputError, LogError
from steelyard.judge.panel import Panel
from steelyard.logs.read import read_log
from steelyard.logs.rescore import NothingToJudge, Rescored, rescore


def rescore_log(path: str, panel: Panel, *, everything: bool) -> Rescored:
    """Have the panel mark the unscored runs of a log, or all; the old scores stay in its history."""
    row = read_log(path)
    if row.stamp is None:
        raise LogError(f"{path} is not an audit log (its task is {row.task}), or has no stamp")
    if row.stamp.wing != "audit":
        raise NothingToJudge(f"{path} is a log of {row.stamp.wing}, not an audit log")
    units = cast(Mapping[str, Mapping[str, str | None]], row.stamp.extra.get("units") or {})
    scope = cast(str | None, row.stamp.extra.get("perspective"))
    expected = fingerprint(units, scope, "judge", panel)
    if expected.dataset != row.stamp.fingerprint.dataset:
        raise InputError(f"{path}: the key or the document changed since the run", cure="restore them, or run again")
    scorer = audit_scorer(dict(units), scope, "judge", list(panel.judges), panel.repeats, panel.cache)
    return rescore(path, scorer, everything=everything, judge=expected.judge, rubric=expected.rubric)


def remarked(
    log: AuditLog, document: str, way: Way, key: Path | None = None, perspective: Path | None = None
) -> Result:
    """The result of a log's outputs, marked again; `key` and `perspective` replace those of the run."""
    brief = log_brief(log, document, key, perspective)
    if isinstance(way, ByJudge):  # a reply to `audit mark --as chat` was drawn from the key and the findings alone
        brief = replace(brief, others=other_keys({name: log.paths(name) for name in log.samples}, document))
    texts = outputs(log, document)
    path = log.paths(document).get("document")
    source = source_of(Path(path), brief.document) if path else None
    spec = Spec(log.name, log.round, brief.key, document, source=source)
    return weigh(spec, texts, marks(brief, texts, way), marker(brief, way))


def log_brief(log: AuditLog, document: str, key: Path | None = None, perspective: Path | None = None) -> Brief:
    """The brief of a log's document; `key` and `perspective` replace those of the run."""
    scope = str(perspective) if perspective else cast(str | None, log.stamp.extra.get("perspective"))
    return read_brief({**log.paths(document), **({"key": str(key)} if key else {})}, scope)
