"""Findings of compilers and linters, one per line (`app.c:12:5: warning: unused variable`), and of CSV tables."""

from __future__ import annotations

import re

from steelyard.audit.findings.claims import RawFinding
from steelyard.audit.findings.records import csv_rows, records
from steelyard.audit.findings.weaknesses import weakness
from steelyard.audit.model import Location

_LINE = re.compile(
    r"^(?P<path>(?:[A-Za-z]:)?[^\s:|`*<>][^:|`*<>]{0,300}):(?P<line>\d{1,7}):(?:\d{1,5}:)? ?"
    r"(?:(?P<level>(?:fatal )?error|warning|note|info|remark|style|performance|portability)\b:? ?)?(?P<said>\S.*)$"
)
_MOST_OTHERS = 0.5
"""Share of lines without indent that may be something else: headings of functions, summaries."""


def line_findings(text: str) -> list[RawFinding] | None:
    """The findings of an output that is made of such lines, or of a table; None for any other output."""
    return _compiler(text) or _table(text)


def _compiler(text: str) -> list[RawFinding] | None:
    lines = text.split("\n")
    matches = [(number, match) for number, line in enumerate(lines, start=1) if (match := _LINE.match(line))]
    flush = sum(bool(line.strip()) and not line[0].isspace() for line in lines)
    if not matches or len(matches) < (1 - _MOST_OTHERS) * flush:
        return None
    return [_raw(number, match) for number, match in matches if match["level"] != "note"]


def _raw(number: int, match: re.Match[str]) -> RawFinding:
    place = Location(match["path"].replace("\\", "/").removeprefix("./"), int(match["line"]), int(match["line"]))
    said = match["said"].strip()
    return RawFinding(f"{said}\n{place}", said, number, number, match["level"] or "", (place,), "item")


def _table(text: str) -> list[RawFinding] | None:
    rows = csv_rows(text)
    if rows is None:
        return None
    found: list[RawFinding] = []
    for number, record in enumerate(records(rows), start=2):
        place = Location(record.path, record.line, record.end or record.line)
        about = f"CWE-{record.cwe} {weakness(int(record.cwe))}" if record.cwe else ""
        title = record.title or record.category or about
        said = (title, record.description, record.category, about, str(place))
        body = "\n".join(dict.fromkeys(filter(None, said)))
        found.append(RawFinding(body, title, number, number, record.severity.casefold(), (place,), "item"))
    return found
