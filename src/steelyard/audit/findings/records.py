"""Findings and problems as other programs write them: rows with a file, a line and a title, under many names.

Read from JSON, YAML, JSON lines, CSV and the reports of scanners; what a name means is decided here, once, for keys and
for runs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from steelyard.audit.findings.claims import RawFinding
from steelyard.audit.findings.weaknesses import cwes, weakness
from steelyard.audit.model import Location

# Of several names that a row uses, the first one here counts.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "path": ("file", "path", "filename", "file_path", "filepath", "test name", "uri"),
    "line": ("line", "start_line", "startline", "line_number", "lineno", "lines", "row"),
    "end": ("end_line", "endline", "line_end", "end_row"),
    "title": ("title", "comment", "message", "issue", "summary", "bug", "finding", "issue_text", "name", "body"),
    "description": ("description", "details", "explanation", "rationale"),
    "category": ("category", "kind", "type", "rule", "rule_id", "check_id", "test_name", "code"),
    "severity": ("severity", "level", "priority", "issue_severity"),
    "cwe": ("cwe", "cwe_id", "issue_cwe"),
    "real": ("real vulnerability", "is_real", "vulnerable"),
}
_BY_NAME = {name: field for field, names in _NAMES.items() for name in names}


class Record(NamedTuple):
    """One row."""

    said: str = ""
    """The message, whole."""
    path: str = ""
    line: int | None = None
    end: int | None = None
    category: str = ""
    severity: str = ""
    description: str = ""
    weaknesses: tuple[int, ...] = ()
    """Numbers of the CWE."""
    real: bool = True
    """False for a row that says that there is nothing."""

    @property
    def title(self) -> str:
        """The first line of the message."""
        return next((line.strip() for line in self.said.split("\n") if line.strip()), "")

    @property
    def places(self) -> tuple[Location, ...]:
        """Where it is, if the row says so."""
        return (Location(self.path, self.line, self.end or self.line),) if self.path or self.line else ()

    def finding(self, number: int) -> RawFinding:
        """The row as a finding on this line of the output."""
        about = [f"CWE-{each} {weakness(each)}".strip() for each in self.weaknesses]
        said = (self.said, self.description, self.category, *about, *map(str, self.places))
        text = "\n".join(dict.fromkeys(filter(None, said)))
        title = self.title or self.category or about[0]
        return RawFinding(text, title, number, number, self.severity.casefold(), self.places, "item")


def records(rows: Iterable[Mapping[Any, Any]]) -> list[Record]:
    """The rows that say something: with a title, a category or a weakness."""
    found = map(record, rows)
    return [each for each in found if each.said or each.category or each.weaknesses]


def csv_rows(text: str) -> dict[int, dict[str, str]] | None:
    """Line → the row that ends there, of a table whose header names a file and what is wrong; None for another text."""
    # OWASP's expected results begin with `# test name, category, …`.
    head = text.lstrip("\ufeff#; \t").partition("\n")[0]
    names = {part.strip().strip('"').casefold() for part in head.split(",")}
    fields = {_BY_NAME[name] for name in names if name in _BY_NAME}
    if "path" not in fields or not fields & {"title", "category", "cwe"}:
        return None
    rows = csv.reader(io.StringIO(text.lstrip("\ufeff#; \t")))
    found: dict[int, dict[str, str]] = {}
    try:
        header = [name.strip() for name in next(rows)]
        for row in rows:
            found[rows.line_num] = dict(zip(header, row, strict=False))
    except csv.Error:  # a cell of more than 128 KiB, or a lone carriage return: prose that begins like a table
        return None
    return found


def record(row: Mapping[Any, Any]) -> Record:
    """What a row says, by the names of its values."""
    by_name = {str(name).strip().casefold(): value for name, value in row.items()}
    values = {
        # A row may have several weaknesses, but lists of anything else are no value.
        field: next((by_name[name] for name in names if _says(by_name.get(name), listed=field == "cwe")), "")
        for field, names in _NAMES.items()
    }
    text = {field: worded(value).strip() for field, value in values.items()}
    first, _, last = text["line"].partition("-")
    return Record(
        text["title"],
        text["path"].replace("\\", "/").removeprefix("file://").removeprefix("./"),
        _number(first),
        _number(text["end"]) or (_number(last) if first else None),
        text["category"],
        text["severity"],
        text["description"],
        cwes(text["cwe"]) or tuple(filter(None, [_number(text["cwe"])])),
        text["real"].casefold() not in ("false", "no", "0"),
    )


def objects(value: Any) -> list[dict[Any, Any]]:
    """The objects of a list."""
    listed = cast(list[Any], value) if isinstance(value, list) else []
    return [cast(dict[Any, Any], entry) for entry in listed if isinstance(entry, dict)]


def _says(value: Any, *, listed: bool) -> bool:
    if value is None or isinstance(value, dict) or (isinstance(value, list) and not listed):
        return False
    return bool(worded(value).strip())


def worded(value: object) -> str:
    """A value as text; what is nested too deeply for Python to write, as a mark that something was there."""
    try:
        return str(value)
    except RecursionError:
        return "…"


def _number(text: str) -> int | None:
    # Python refuses to read thousands of digits, and no file has a billion lines.
    text = text.strip()
    return int(text) or None if text.isascii() and text.isdigit() and len(text) <= 9 else None
