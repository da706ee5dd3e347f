"""Findings that scanners and code hosts write as JSON: bandit, semgrep, SARIF of any tool, GitHub review comments.

The message becomes the title, file and line the location, severity the group. Everything else of an entry (excerpts of
code, fingerprints, columns, links) is about the tool and is dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from steelyard.audit.findings.claims import RawFinding
from steelyard.audit.findings.records import worded
from steelyard.audit.findings.weaknesses import cwes, weakness
from steelyard.audit.model import Location

_NEAR = 200_000
"""Characters searched for the message of the next entry; without this limit a long list takes hours."""


class ScannerEntry(NamedTuple):
    """What counts of one entry."""

    message: str
    rule: str
    severity: str
    path: str
    line: int | None
    end: int | None
    cwes: tuple[int, ...] = ()


def scanner_findings(value: Any, text: str) -> list[RawFinding] | None:
    """The findings of a known tool; None for any other data. `text` is the JSON they were loaded from."""
    entries = scanner_entries(value)
    return None if entries is None else list(_raw(entries, text))


def scanner_entries(value: Any) -> list[ScannerEntry] | None:
    """The entries of a known tool; None for any other data."""
    return next((entries for read in _READERS if (entries := read(value)) is not None), None)


def _raw(entries: list[ScannerEntry], text: str) -> Iterator[RawFinding]:
    position, line = 0, 1
    for entry in entries:
        # As it is written in the JSON, to find its line.
        start = text.find(json.dumps(entry.message, ensure_ascii=False)[1:-1][:60], position, position + _NEAR)
        # Not found (−1): the line of the entry before it.
        start = max(start, position)
        line, position = line + text.count("\n", position, start), start
        place = Location(entry.path.replace("\\", "/").removeprefix("./"), entry.line, entry.end or entry.line)
        numbered = (f"CWE-{number} {weakness(number)}".strip() for number in entry.cwes)
        subject = " ".join(filter(None, (re.sub(r"[-_.]+", " ", entry.rule), *numbered)))
        body = "\n".join(filter(None, (entry.message, subject, str(place))))
        title = next((part for part in entry.message.split("\n") if part.strip()), entry.rule)
        named = (place,) if place.path or place.line else ()
        yield RawFinding(body, title, line, line, entry.severity.casefold(), named, "item")


def _bandit(value: Any) -> list[ScannerEntry] | None:
    results = _dicts(_table(value).get("results"))
    if results is None or not all("issue_text" in result for result in results) or "metrics" not in value:
        return None
    return [
        ScannerEntry(
            _text(result.get("issue_text")),
            # bandit calls a whole family of checks `blacklist`, which says nothing about the fault.
            _text(result.get("test_name")).removeprefix("blacklist"),
            _text(result.get("issue_severity")),
            _text(result.get("filename")),
            _number(result.get("line_number")),
            max((number for part in _list(result.get("line_range")) if (number := _number(part))), default=None),
            tuple(filter(None, [_number(_table(result.get("issue_cwe")).get("id"))])),
        )
        for result in results
    ]


def _semgrep(value: Any) -> list[ScannerEntry] | None:
    results = _dicts(_table(value).get("results"))
    if not results or not all("check_id" in result and "extra" in result for result in results):
        return [] if results == [] and "paths" in value and "errors" in value else None
    return [
        ScannerEntry(
            _text(extra.get("message")),
            _text(result.get("check_id")).rpartition(".")[2],
            _text(extra.get("severity")),
            _text(result.get("path")),
            _number(_table(result.get("start")).get("line")),
            _number(_table(result.get("end")).get("line")),
            _cwes(_table(extra.get("metadata")).get("cwe")),
        )
        for result in results
        for extra in [_table(result.get("extra"))]
    ]


def _sarif(value: Any) -> list[ScannerEntry] | None:
    runs = _dicts(_table(value).get("runs"))
    if runs is None or not ("$schema" in value or "version" in value) or not all("tool" in run for run in runs):
        return None
    # Once for each run: rules and results may both be thousands.
    known = [(run, _rules(run)) for run in runs]
    return [_sarif_entry(result, rules) for run, rules in known for result in _dicts(run.get("results")) or []]


def _rules(run: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The rules of a run by id, and by index as text."""
    listed = _dicts(_table(_table(run.get("tool")).get("driver")).get("rules")) or []
    by_index: dict[str, Mapping[str, Any]] = {str(index): rule for index, rule in enumerate(listed)}
    return by_index | {_text(rule.get("id")): rule for rule in listed}


def _sarif_entry(result: Mapping[str, Any], rules: Mapping[str, Mapping[str, Any]]) -> ScannerEntry:
    identity = _text(result.get("ruleId")) or _text(_table(result.get("rule")).get("id"))
    rule = rules.get(identity) or rules.get(str(result.get("ruleIndex"))) or {}
    described = (_text(_table(rule.get(name)).get("text")) for name in ("shortDescription", "fullDescription"))
    message = _table(result.get("message"))
    said = _text(message.get("text")) or _text(message.get("markdown")) or next(filter(None, described), identity)
    place = _table(_table(next(iter(_dicts(result.get("locations")) or []), None)).get("physicalLocation"))
    region = _table(place.get("region"))
    level = _text(result.get("level")) or _text(_table(rule.get("defaultConfiguration")).get("level"))
    path = _text(_table(place.get("artifactLocation")).get("uri")).removeprefix("file://")
    properties = [_table(holder.get("properties")) for holder in (result, rule)]
    tags = [part for holder in properties for name in ("tags", "cwe") for part in _list(holder.get(name))]
    lines = _number(region.get("startLine")), _number(region.get("endLine"))
    name = _text(rule.get("name")) or identity.rpartition(".")[2]
    return ScannerEntry(said, name, level, path, *lines, _cwes(tags))


def _review_comments(value: Any) -> list[ScannerEntry] | None:
    listed = _dicts(value if isinstance(value, list) else _table(value).get("comments"))
    if not listed or not all("body" in comment for comment in listed) or not any("path" in each for each in listed):
        return None
    return [
        ScannerEntry(
            _text(comment.get("body")),
            "",
            "",
            _text(comment.get("path")),
            *_comment_lines(comment),
        )
        for comment in listed
        # An answer in a thread is no finding of its own.
        if not comment.get("in_reply_to_id")
    ]


def _comment_lines(comment: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """First and last line of a comment; on an outdated one GitHub keeps only the original lines."""
    last = _number(comment.get("line")) or _number(comment.get("original_line"))
    first = _number(comment.get("start_line")) or _number(comment.get("original_start_line"))
    return first or last, last


_READERS = (_bandit, _semgrep, _sarif, _review_comments)


def _cwes(value: Any) -> tuple[int, ...]:
    return tuple(number for part in _list(value) for number in cwes(_text(part)))


def _table(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else [] if value is None else [value]


def _dicts(value: Any) -> list[dict[str, Any]] | None:
    """A list of objects; None for anything else."""
    if not isinstance(value, list):
        return None
    listed = cast(list[Any], value)
    return cast(list[dict[str, Any]], listed) if all(isinstance(entry, dict) for entry in listed) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else worded(value)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
