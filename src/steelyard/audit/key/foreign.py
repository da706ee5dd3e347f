"""Ground truth of other programs as a key (docs/scoring.md §2.4).

SARIF, bandit and semgrep JSON, review comments, OWASP's expected results (CSV), golden comments of code review
benchmarks (a list of pull requests, of which `FILE#TITLE` or `FILE#NUMBER` picks one), and any list of objects or table
with a file, a line and a title. They rarely have criteria or a severity: these are made from the title, and a warning
says so. Rows that say that there is nothing to find are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from steelyard.audit.findings.records import Record, csv_rows, objects, records
from steelyard.audit.findings.scanners import scanned
from steelyard.audit.findings.weaknesses import weakness
from steelyard.audit.key.check import Draft, Faults, checked, known_severity
from steelyard.audit.model import Key
from steelyard.errors import InputError, boundary
from steelyard.yamlfile import parse_output

# An id has four digits at most.
_MOST = 9_999
"""Problems of one key."""


def read(text: str, source: str, pick: str = "") -> Key | None:
    """The key in a foreign text; None if it is of our own form."""
    rows = csv_rows(text) if source.lower().endswith((".csv", ".tsv", ".txt")) else None
    if rows is not None:
        return _key(records(rows.values()), source)
    value = _data(text, source)
    if value is None or (isinstance(value, dict) and "problems" in value):
        return None
    if (entries := scanned(value)) is not None:
        return _key(entries, source)
    nested = [found for member in _members(value) if (found := objects(member))]
    listed = objects(value) or (nested[0] if nested else [])
    if groups := [row for row in listed if isinstance(row.get("comments"), list)]:
        listed = objects(_picked(groups, source, pick).get("comments"))
    return _key(records(listed), source) if listed else None


def _data(text: str, source: str) -> Any:
    lower = source.lower()
    if lower.endswith((".json", ".sarif")):
        with boundary(InputError, f"{source} is not valid JSON"):
            return json.loads(text)
    return parse_output(text) if lower.endswith((".yaml", ".yml")) else None


def _members(value: Any) -> Iterable[Any]:
    return cast(dict[Any, Any], value).values() if isinstance(value, dict) else ()


def _picked(groups: list[dict[Any, Any]], source: str, pick: str) -> dict[Any, Any]:
    """The one pull request that was asked for, by its title, its URL or its number."""
    named = {f"{group.get('pr_title') or group.get('title')} ({group.get('url')})": group for group in groups}
    wanted = pick.casefold()
    found = [group for name, group in named.items() if wanted and wanted in name.casefold()]
    if pick.isascii() and pick.isdigit() and len(pick) <= 9 and 0 < int(pick) <= len(groups):
        found = [groups[int(pick) - 1]]
    if len(groups) == 1:
        return groups[0]
    if len(found) != 1:
        shown = "; ".join(f"{number} {name[:60]}" for number, name in enumerate(named, start=1))
        said = f"{len(found)} pull requests match {pick!r}" if pick else f"it holds {len(groups)} pull requests"
        raise InputError(f"{source}: {said}: {shown[:600]}", cure=f"name one: {source}#1")
    return found[0]


def _key(found: Iterable[Record], source: str) -> Key:
    listed = list(found)
    real = [record for record in listed if record.real]
    if not real or len(real) > _MOST:
        raise InputError(f"{source}: {len(real)} problems are stated; a key has 1 to {_MOST}")
    made = sum(known_severity(record.severity) is None for record in real)
    drafts = [_draft(number, record) for number, record in enumerate(real, start=1)]
    key = checked(drafts, [], Faults(source), "", ())
    notes = [f"criteria are made from the titles of all {len(real)} problems, because {source} has none"]
    if made:
        notes.append(f"{made} problems state no severity that is known and are read as Medium")
    if len(real) < len(listed):
        notes.append(f"{len(listed) - len(real)} rows state no problem and are left out")
    # Instead of warnings about every field that such files never have.
    return Key(key.problems, warnings=tuple(notes))


def _draft(number: int, record: Record) -> Draft:
    about = next(filter(None, map(weakness, record.weaknesses)), "").split(", ")[0]
    named = [f"CWE-{each}" for each in record.weaknesses]
    title = record.title or about or record.category or named[0]
    said = " ".join(record.said.split()) or title
    fields = {
        "severity": known_severity(record.severity) or "Medium",
        "category": record.category or about,
        "description": " ".join(filter(None, (record.description, *named))),
        "location": ", ".join(map(str, record.places)),
    }
    criteria = {"detected": f"Says: {said}", "partial": "Names the area, not the fault.", "missed": "Nothing."}
    return Draft(f"P{number:02d}", title[:500], number, fields, {}, criteria)
