"""Findings that are data: JSON or YAML as a whole or in fenced blocks, CSV, or one line each as compilers print them.

Lists under a name like `findings` are taken first, at any depth; if there are none, every list of objects, then a
mapping of objects. A fenced block counts only if its entries read like findings, because reviews also quote data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, cast

from steelyard.audit.findings.claims import RawFinding
from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.phrases import long_enough
from steelyard.audit.findings.records import Record, csv_rows, record, records, worded
from steelyard.audit.findings.report import numbered_spans
from steelyard.audit.findings.scanners import scanned
from steelyard.audit.findings.sections import fences, marked
from steelyard.audit.model import Location
from steelyard.yamlfile import parse_output

_JSON_TAGS, _YAML_TAGS = ("", "json", "json5", "jsonc", "jsonl", "ndjson"), ("yaml", "yml")
_LISTS = ("findings", "issues", "problems", "vulnerabilities", "results", "defects", "bugs", "observations", "items")
_FINDING_LISTS = tuple(name for name in _LISTS if name not in ("results", "items"))
"""Names that ordinary data does not use."""
_TITLES = ("title", "name", "summary", "issue", "finding", "problem", "message", "description")
_DEPTH = 6
_NEAR = 200_000
"""Characters searched for the next entry; without this limit a long list takes hours."""

_LINE = re.compile(
    r"^(?P<path>(?:[A-Za-z]:)?[^\s:|`*<>][^:|`*<>]{0,300}):(?P<line>\d{1,7}):(?:\d{1,5}:)? ?"
    r"(?:(?P<level>(?:fatal )?error|warning|note|info|remark|style|performance|portability)\b:? ?)?(?P<said>\S.*)$"
)
"""One finding as compilers and linters print it: `app.c:12:5: warning: unused variable`."""
_MOST_OTHERS = 0.5
"""Share of lines without indent that may be something else: headings of functions, summaries."""


class FencedFindings(NamedTuple):
    """The findings in fenced blocks, and the text with those blocks blanked out, so that line numbers stay valid."""

    findings: list[RawFinding]
    rest: str


def json_findings(text: str) -> list[RawFinding] | None:
    """The findings of an output that is JSON as a whole, or one JSON object per line; None for any other output."""
    whole = _loaded(text)
    if whole is None:
        whole = _by_line(text)
    if whole is None:
        return None
    entries_of_tool = scanned(whole)
    if entries_of_tool is not None:
        return list(_recorded(entries_of_tool, text, 1))
    entries = _entries(whole)
    return _raw_findings([whole] if entries is None and isinstance(whole, dict) else entries or [], text, 1)


def is_scan(text: str) -> bool:
    """Whether an output is as a whole the JSON of a known tool."""
    return scanned(_loaded(text)) is not None


def fenced_findings(text: str) -> FencedFindings:
    """The findings in fenced blocks, and the text around them; data below a numbered heading illustrates it."""
    findings: list[RawFinding] = []
    lines = text.split("\n")
    inside = {index for span in numbered_spans(list(marked(text))) for index in range(span.heading.place, span.end)}
    for tag, first, body in fences(text):
        value = None if first - 1 in inside else _block(tag, body)
        entries_of_tool = scanned(value)
        entries = _entries(value) or []
        if entries_of_tool or (entries and _are_findings(entries, _keys(value))):
            findings += _recorded(entries_of_tool or (), body, first) or _raw_findings(entries, body, first)
            last = first + body.count("\n") + 1
            lines[first - 2 : last] = [""] * (last - first + 2)
    return FencedFindings(findings, "\n".join(lines))


def _block(tag: str, body: str) -> Any:
    """The data of a fenced block, or None."""
    if tag in _YAML_TAGS:
        return parse_output(body)
    return (_loaded(body) or _by_line(body)) if tag in _JSON_TAGS else None


def _loaded(text: str) -> Any:
    """A JSON object or list, or None."""
    # A number or a word is JSON as well, but lists nothing.
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Any, value) if isinstance(value, (dict, list)) else None


def _by_line(text: str) -> list[Any] | None:
    """The objects of a text with one JSON object per line, or None."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not lines[0].lstrip().startswith("{"):
        return None
    # Stops at the first line that is no object, so that prose that begins with a brace is not parsed to its end.
    objects = list(takewhile(lambda value: isinstance(value, dict), map(_loaded, lines)))
    return objects if len(objects) == len(lines) else None


def _entries(value: Any) -> list[Any] | None:
    """The entries that the value lists as findings; None if it lists nothing."""
    lists = list(_lists(value))
    if any(known for known, _ in lists):
        return [entry for known, entries in lists if known for entry in entries]
    every = [entry for _, entries in lists for entry in entries]
    if isinstance(value, list):
        return every
    objects = [entry for entry in every if isinstance(entry, dict)]
    return objects or [entry for entry in every if long_enough(entry)] or None


def _lists(value: Any, known: bool = False, depth: int = 0) -> Iterator[tuple[bool, list[Any]]]:
    """Every list below a value, depth first, and whether it has one of the names for findings.

    A mapping of findings is a list too: `{"F1": {…}, "F2": {…}}`.
    """
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        members = cast(dict[Any, Any], value)
        if (known or not depth) and members and all(map(_is_finding_object, members.values())):
            yield known, list(members.values())
        else:
            for name, member in members.items():
                yield from _lists(member, str(name).casefold() in _LISTS, depth + 1)
    elif isinstance(value, list):
        entries = cast(list[Any], value)
        inner = [[] if _reads_as_finding(entry) else list(_lists(entry, False, depth + 1)) for entry in entries]
        groups = [any(listed for listed, _ in lists) for lists in inner]
        for entry, lists, is_group in zip(entries, inner, groups, strict=True):
            # An entry that only groups findings (a file, a section) stands for what it lists.
            if is_group:
                yield from lists
            elif isinstance(entry, (dict, str)):
                # A finding beside such groups is one as well, whatever the list is called.
                yield known or (any(groups) and _is_finding_object(entry)), [entry]
        yield known, []


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        table = cast(dict[Any, Any], value)
        return {str(key).casefold() for key in table}.union(*map(_keys, table.values()))
    return set()


def _are_findings(entries: Sequence[Any], names: Iterable[str]) -> bool:
    """Whether the entries of a fenced block are findings rather than quoted data."""
    if any(name in _FINDING_LISTS for name in names):
        return any(isinstance(entry, str) or _title(entry) or _reads_as_finding(entry) for entry in entries)
    return 2 * sum(map(_is_finding_object, entries)) >= len(entries)


def _is_finding_object(entry: Any) -> bool:
    return isinstance(entry, dict) and _reads_as_finding(entry)


def _reads_as_finding(entry: Any) -> bool:
    """Whether an entry has a text of several words."""
    if isinstance(entry, dict):
        return any(isinstance(text, str) and long_enough(text, 4) for text in cast(dict[Any, Any], entry).values())
    return isinstance(entry, str) and long_enough(entry, 4)


def _recorded(entries: Sequence[Record], text: str, first: int) -> list[RawFinding]:
    """The entries of a tool as findings; `first` is the number of the first line of `text`."""
    lines = _lines((entry.said for entry in entries), text, first)
    return [entry.finding(line) for entry, line in zip(entries, lines, strict=True)]


def _raw_findings(entries: Sequence[Any], text: str, first: int) -> list[RawFinding]:
    """The entries of any other list, with everything that they say."""
    lines = _lines((_title(entry) or (entry if isinstance(entry, str) else "") for entry in entries), text, first)
    return [
        RawFinding(text, _title(entry), line, line, locations=_places(entry, text))
        for entry, line in zip(entries, lines, strict=True)
        for text in [_text(entry)]
    ]


def _lines(leads: Iterable[str], text: str, first: int) -> Iterator[int]:
    """The line of each entry, found by what it begins with; else that of the entry before it."""
    position, line = 0, first
    for lead in leads:
        # As it is written in the JSON.
        found = text.find(json.dumps(lead, ensure_ascii=False)[1:-1][:60], position, position + _NEAR)
        start = max(found, position)
        line, position = line + text.count("\n", position, start), start
        yield line


def _places(entry: Any, text: str) -> tuple[Location, ...]:
    """The places of an entry that names file and line apart; its text alone would not join them."""
    said = record(cast(dict[Any, Any], entry)) if isinstance(entry, dict) else Record()
    if not (said.path and said.line):
        return ()
    others = (place for place in locations(text) if said.line != place.line or place.path)
    return tuple(dict.fromkeys((*said.places, *(place for place in others if place != Location(said.path)))))


def _title(entry: Any) -> str:
    if isinstance(entry, dict):
        table: Mapping[str, Any] = {str(key).casefold(): value for key, value in cast(dict[Any, Any], entry).items()}
        return next((str(table[name]) for name in _TITLES if isinstance(table.get(name), str) and table[name]), "")
    return ""


def _text(entry: Any, depth: int = 0) -> str:
    if isinstance(entry, dict) and depth < _DEPTH:
        rows = cast(dict[Any, Any], entry).items()
        return "\n".join(f"{key}: {_text(value, depth + 1)}" for key, value in rows)
    if isinstance(entry, list) and depth < _DEPTH:
        return ", ".join(_text(part, depth + 1) for part in cast(list[Any], entry))
    return "" if entry is None else worded(entry)


def line_findings(text: str) -> list[RawFinding] | None:
    """The findings of an output that is lines of a compiler or a CSV table; None for any other output."""
    return _compiler(text) or _table(text)


def _compiler(text: str) -> list[RawFinding] | None:
    lines = text.split("\n")
    matches = [(number, match) for number, line in enumerate(lines, start=1) if (match := _LINE.match(line))]
    flush = sum(bool(line.strip()) and not line[0].isspace() for line in lines)
    if not matches or len(matches) < (1 - _MOST_OTHERS) * flush:
        return None
    # A note explains the finding above it.
    return [_printed(match).finding(number) for number, match in matches if match["level"] != "note"]


def _printed(match: re.Match[str]) -> Record:
    path = match["path"].replace("\\", "/").removeprefix("./")
    return Record(match["said"].strip(), path, int(match["line"]), severity=match["level"] or "")


def _table(text: str) -> list[RawFinding] | None:
    rows = csv_rows(text)
    if rows is None:
        return None
    return [each.finding(number) for number, row in rows.items() for each in records([row])]
