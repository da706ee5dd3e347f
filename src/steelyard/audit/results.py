"""Results from files: JSON that we wrote, or logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.audit.history import Entry
from steelyard.audit.metadata import result_from
from steelyard.audit.read import read_audit_log, recorded
from steelyard.errors import InputError, SteelyardError
from steelyard.logs.read import read_log


def read_results(path: Path) -> list[Entry]:
    """All results in one file (a result, a suite's result, a log), or the latest per document of a folder."""
    if path.is_dir():
        return _latest(read_folder(path)[0])
    if path.suffix == ".eval":
        log = read_audit_log(path)
        made = read_log(path).created
        return [Entry(recorded(log, name), made, str(path)) for name in log.samples]
    raw = artifact.read_json(path)
    data = cast(dict[str, Any], raw) if isinstance(raw, dict) else dict[str, Any]()
    kind = data.get("kind")
    schemas = {"audit": "audit", "audit-suite": "audit-suite"}
    if not isinstance(kind, str) or kind not in schemas:
        raise InputError(f"{path} is no audit result", cure="`steelyard audit score … --json FILE` writes one")
    try:
        artifact.validate(data, schemas[kind])
    except SteelyardError as error:
        raise InputError(f"{path} is no audit result: {error}") from error
    parts = [data] if kind == "audit" else data["documents"]
    made = str(data.get("generated_at") or "")
    return [Entry(result_from(part, str(path)), made, str(path)) for part in parts]


def _latest(entries: list[Entry]) -> list[Entry]:
    found: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda each: (each.result.round, each.made)):
        found[entry.result.document] = entry
    return list(found.values())


def read_folder(folder: Path) -> tuple[list[Entry], list[str]]:
    """All results below a folder, and why others could not be read; files that are no results are passed over."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder")
    entries: list[Entry] = []
    problems: list[str] = []
    for path in sorted((*folder.rglob("*.json"), *folder.rglob("*.eval"))):
        try:
            if _is_ours(path):
                entries += read_results(path)
        except SteelyardError as error:
            problems.append(str(error))
    scored = _once([entry for entry in entries if not entry.result.control])
    if not scored:
        detail = f" ({problems[0]})" if problems else ""
        raise InputError(
            f"no audit result in {folder}{detail}", cure="`steelyard audit score … --json FILE` writes one"
        )
    return scored, problems


def _once(entries: list[Entry]) -> list[Entry]:
    """Each result once: a folder often holds a log and the JSON made from it."""
    found: dict[object, Entry] = {}
    for entry in entries:
        result = entry.result
        texts = tuple(tuple(each.text for each in run.output.findings) for run in result.runs)
        found.setdefault((result.name, result.document, result.round, str(result.marker), texts), entry)
    return list(found.values())


def _is_ours(path: Path) -> bool:
    if path.suffix == ".eval":
        stamp = read_log(path).stamp
        return stamp is not None and stamp.wing == "audit"
    data = artifact.read_json(path)
    return isinstance(data, dict) and str(cast(dict[str, Any], data).get("kind", "")) in ("audit", "audit-suite")
