"""What scanners and code hosts write as JSON, as records: bandit, semgrep, SARIF of any tool, GitHub review comments.

Only message, rule, severity, place and weakness of an entry count. Everything else (excerpts of code, fingerprints,
columns, links) is about the tool and is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from steelyard.audit.findings.records import Record, records, worded

_Row: TypeAlias = dict[str, Any]
"""An entry under the names that `records` knows."""


def scanned(value: Any) -> list[Record] | None:
    """The entries of a known tool; None for any other data."""
    found = next((rows for read in _READERS if (rows := read(value)) is not None), None)
    return None if found is None else records(found)


def _bandit(value: Any) -> list[_Row] | None:
    results = _dicts(_at(value, "results"))
    if results is None or not all("issue_text" in result for result in results) or "metrics" not in value:
        return None
    return [
        {
            "message": result["issue_text"],
            # bandit calls a whole family of checks `blacklist`, which says nothing about the fault.
            "rule": _words(result.get("test_name")).removeprefix("blacklist"),
            "severity": result.get("issue_severity"),
            "path": result.get("filename"),
            "line": result.get("line_number"),
            "end_line": _at(result, "line_range", -1),
            "cwe": _at(result, "issue_cwe", "id"),
        }
        for result in results
    ]


def _semgrep(value: Any) -> list[_Row] | None:
    results = _dicts(_at(value, "results"))
    if not results or not all("check_id" in result and "extra" in result for result in results):
        return [] if results == [] and "paths" in value and "errors" in value else None
    return [
        {
            "message": _at(result, "extra", "message"),
            "rule": _words(_name(result["check_id"])),
            "severity": _at(result, "extra", "severity"),
            "path": result.get("path"),
            "line": _at(result, "start", "line"),
            "end_line": _at(result, "end", "line"),
            "cwe": _at(result, "extra", "metadata", "cwe"),
        }
        for result in results
    ]


def _sarif(value: Any) -> list[_Row] | None:
    runs = _dicts(_at(value, "runs"))
    if runs is None or not ("$schema" in value or "version" in value) or not all("tool" in run for run in runs):
        return None
    return [row for run in runs for row in _sarif_rows(run)]


def _sarif_rows(run: Mapping[str, Any]) -> Iterator[_Row]:
    listed = _dicts(_at(run, "tool", "driver", "rules")) or []
    # By id, and by index.
    rules: dict[Any, _Row] = {**dict(enumerate(listed)), **{worded(rule.get("id")): rule for rule in listed}}
    for result in _dicts(run.get("results")) or []:
        identity = worded(result.get("ruleId") or _at(result, "rule", "id") or "")
        index = result.get("ruleIndex")
        rule = rules.get(identity) or rules.get(index if isinstance(index, int) else None) or {}
        said = (_at(result, "message", "text"), _at(result, "message", "markdown"))
        described = (_at(rule, name, "text") for name in ("shortDescription", "fullDescription"))
        place = _at(result, "locations", 0, "physicalLocation")
        yield {
            "message": next(filter(None, (*said, *described)), identity),
            "rule": _words(rule.get("name") or _name(identity)),
            "severity": result.get("level") or _at(rule, "defaultConfiguration", "level"),
            "path": _at(place, "artifactLocation", "uri"),
            "line": _at(place, "region", "startLine"),
            "end_line": _at(place, "region", "endLine"),
            "cwe": [_at(holder, "properties", name) for holder in (result, rule) for name in ("tags", "cwe")],
        }


def _review_comments(value: Any) -> list[_Row] | None:
    listed = _dicts(value if isinstance(value, list) else _at(value, "comments"))
    if not listed or not all("body" in comment for comment in listed) or not any("path" in each for each in listed):
        return None
    # An answer in a thread is no finding of its own.
    return [_comment(comment) for comment in listed if not comment.get("in_reply_to_id")]


def _comment(comment: Mapping[str, Any]) -> _Row:
    """A comment; on an outdated one GitHub keeps only the original lines."""
    last = comment.get("line") or comment.get("original_line")
    first = comment.get("start_line") or comment.get("original_start_line")
    return {"body": comment["body"], "path": comment.get("path"), "line": first or last, "end_line": last}


_READERS = (_bandit, _semgrep, _sarif, _review_comments)


def _name(way: Any) -> str:
    """The name of a rule, which comes last in its identity: `python.lang.security.eval-detected`."""
    return worded(way or "").rpartition(".")[2]


def _words(name: Any) -> str:
    return re.sub(r"[-_.]+", " ", worded(name or "")).strip()


def _at(value: Any, *way: str | int) -> Any:
    """What is found inside a value by these names and places; None if there is nothing."""
    for step in way:
        # A number leads into a list, a name into an object; neither into a text.
        if not isinstance(value, list if isinstance(step, int) else dict):
            return None
        try:
            value = cast(Any, value)[step]
        except LookupError:
            return None
    return value


def _dicts(value: Any) -> list[_Row] | None:
    """A list of objects; None for anything else."""
    if not isinstance(value, list):
        return None
    listed = cast(list[Any], value)
    return cast(list[_Row], listed) if all(isinstance(entry, dict) for entry in listed) else None
