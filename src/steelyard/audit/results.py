"""Results from files: JSON that `--json` wrote, or audit logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from steelyard import artifact
from steelyard.audit.agreement import agreement
from steelyard.audit.history import DatedResult
from steelyard.audit.metadata import estimate_from, marker_from, problems_from, run_from
from steelyard.audit.model import Key, Result, Source
from steelyard.audit.read import AuditLog, audit_log, is_audit, scored_runs
from steelyard.audit.weigh import Spec, weigh_scored
from steelyard.errors import InputError, SteelyardError, boundary
from steelyard.location import is_remote, location, require_folder
from steelyard.logs.read import open_log
from steelyard.logs.remote import list_files

if TYPE_CHECKING:
    from steelyard.location import Location

_KINDS = ("audit", "audit-suite")
"""Kinds of JSON that hold results; each is the name of its schema."""

_CURE = "`steelyard audit score … --json FILE` writes one"


def result_of_log(log: AuditLog, document: str, source: Source | None = None) -> Result:
    """The result of one document as it was scored when the log was written."""
    scored = scored_runs(log, document)
    spec = Spec(log.name, log.round, Key(scored.problems), document, scored.key_hash, source)
    return weigh_scored(spec, scored.runs, scored.marker)


def read_results(path: Location) -> tuple[list[DatedResult], list[str]]:
    """All results of one file (a result, a suite, a log), or the latest per document of a folder.

    With them, why some files of a folder could not be read: the latest result may be in one of those.
    """
    if _is_folder(path):
        # With the clean controls, as in a file: false alarms count in a comparison.
        results, problems = _in_folder(path)
        return _latest(results), problems
    results = _read(path)
    if results is None:
        raise InputError(f"{path} is not an audit result", cure=_CURE)
    return results, []


def read_folder(folder: Location) -> tuple[list[DatedResult], list[str]]:
    """The results of planted documents below a folder, and why some files could not be read."""
    results, problems = _in_folder(folder)
    planted = [dated for dated in results if not dated.result.control]
    if not planted:
        raise _nothing_in(folder, problems)
    return planted, problems


def _in_folder(folder: Location) -> tuple[list[DatedResult], list[str]]:
    """All results below a folder; unrelated files are skipped."""
    results: list[DatedResult] = []
    problems: list[str] = []
    for path in _files(folder):
        try:
            results += _read(path) or []
        except SteelyardError as error:
            problems.append(str(error))
    if not results:
        raise _nothing_in(folder, problems)
    return _distinct(results), problems


def _nothing_in(folder: Location, problems: Sequence[str]) -> InputError:
    detail = f" ({problems[0]})" if problems else ""
    return InputError(f"no audit result in {folder}{detail}", cure=_CURE)


def _is_folder(path: Location) -> bool:
    """Whether the path is a folder; storage behind a URL has only names."""
    return path.suffix not in (".json", ".eval") if is_remote(path) else path.is_dir()


def _files(folder: Location) -> list[Location]:
    if is_remote(folder):
        with boundary(InputError, f"cannot list {folder}"):
            urls = sorted(entry.url for entry in list_files(str(folder)))
        return [location(url) for url in urls if url.endswith((".json", ".eval"))]
    require_folder(folder)
    return sorted((*folder.rglob("*.json"), *folder.rglob("*.eval")))


def _read(path: Location) -> list[DatedResult] | None:
    """The results of one file; None if it is a valid file of another kind."""
    return _from_log(path) if path.suffix == ".eval" else _from_json(path)


def _from_log(path: Location) -> list[DatedResult] | None:
    with open_log(path) as opened:
        if not is_audit(opened.row):
            return None
        log = audit_log(opened)
    return [DatedResult(result_of_log(log, document), log.created, str(path)) for document in log.samples]


def _from_json(path: Location) -> list[DatedResult] | None:
    raw = artifact.read_json(path)
    data = cast(dict[str, Any], raw) if isinstance(raw, dict) else dict[str, Any]()
    kind = data.get("kind")
    if kind not in _KINDS:
        return None
    try:
        artifact.validate(data, kind)
    except SteelyardError as error:
        raise InputError(f"{path} is not a valid audit result: {error}") from error
    parts = [data] if kind == "audit" else data["documents"]
    created = str(data.get("generated_at") or "")
    return [DatedResult(result_from(part, str(path)), created, str(path)) for part in parts]


def result_from(data: Any, source: str) -> Result:
    """A result from JSON that satisfies its schema; `source` names it in errors."""
    if not isinstance(data, dict) or cast(dict[str, Any], data).get("kind") != "audit":
        raise InputError(f"{source} is not an audit result", cure=_CURE)
    with boundary(InputError, f"{source} is not an audit result"):
        return _result(cast(dict[str, Any], data))


def _result(data: Mapping[str, Any]) -> Result:
    interval = data["sd_interval"]
    runs = tuple(run_from(run) for run in data["runs"])
    return Result(
        name=data["name"],
        round=data["round"],
        problems=problems_from(data["problems"]),
        runs=runs,
        mean=data["mean"],
        sd=data["sd"],
        stability=data["stability"],
        marker=marker_from(data["marker"]),
        key_hash=data["key_hash"],
        document=data["document"],
        sd_interval=None if interval is None else (interval[0], interval[1]),
        judge_agreement=data.get("judge_agreement"),
        warnings=tuple(data["warnings"]),
        estimate=estimate_from(data.get("estimate")),
        agreement=agreement(runs),
    )


def _latest(results: Sequence[DatedResult]) -> list[DatedResult]:
    ordered = sorted(results, key=lambda dated: (dated.result.round, dated.moment))
    # Of equal documents, the last one stays.
    return list({dated.result.document: dated for dated in ordered}.values())


def _distinct(results: Sequence[DatedResult]) -> list[DatedResult]:
    """Each result once: a folder often holds a log and the JSON written from it; of two markings the later counts."""
    distinct: dict[object, DatedResult] = {}
    for dated in sorted(results, key=lambda dated: dated.moment):
        result = dated.result
        distinct[result.name, result.document, result.round, str(result.marker), result.texts] = dated
    return list(distinct.values())
