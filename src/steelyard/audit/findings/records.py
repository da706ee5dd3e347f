"""Findings and problems as other programs write them: rows with a file, a line and a title, under many names.

Read from JSON, YAML, JSON lines and CSV; what a name means is decided here, once, for keys and for runs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

# Of several names that a row uses, the first one here counts.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "path": ("file", "path", "filename", "file_path", "filepath", "test name", "uri"),
    "line": ("line", "start_line", "startline", "line_number", "lineno", "row"),
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

    title: str = ""
    path: str = ""
    line: int | None = None
    end: int | None = None
    category: str = ""
    severity: str = ""
    description: str = ""
    cwe: str = ""
    real: bool = True
    """False for a row that says that there is nothing."""


def records(rows: Iterable[Mapping[Any, Any]]) -> list[Record]:
    """The rows that say something: with a title, a category or a weakness."""
    found = [_record(row) for row in rows]
    return [record for record in found if record.title or record.category or record.cwe]


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


def _record(row: Mapping[Any, Any]) -> Record:
    values: dict[str, str] = {}
    by_name = {str(name).strip().casefold(): value for name, value in row.items()}
    for field, names in _NAMES.items():
        values[field] = next((_text(by_name[name]) for name in names if _text(by_name.get(name))), "")
    return Record(
        " ".join(values["title"].split()),
        values["path"].replace("\\", "/").removeprefix("./"),
        _number(values["line"]),
        _number(values["end"]),
        values["category"],
        values["severity"],
        values["description"],
        _weakness(values["cwe"]),
        values["real"].casefold() not in ("false", "no", "0"),
    )


def objects(value: Any) -> list[dict[Any, Any]]:
    """The objects of a list."""
    listed = cast(list[Any], value) if isinstance(value, list) else []
    return [cast(dict[Any, Any], entry) for entry in listed if isinstance(entry, dict)]


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, (dict, list)) else worded(value).strip()


def worded(value: object) -> str:
    """A value as text; what is nested too deeply for Python to write, as a mark that something was there."""
    try:
        return str(value)
    except RecursionError:
        return "…"


def _number(text: str) -> int | None:
    # Python refuses to read thousands of digits, and no file has a billion lines.
    return int(text) or None if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _weakness(text: str) -> str:
    digits = "".join(mark for mark in text if mark.isascii() and mark.isdigit())
    return digits if len(digits) <= 9 else ""
