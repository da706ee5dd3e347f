"""Rows of an item file with their lines: JSON Lines, or a YAML list.

A JSONL file has one object per line; blank lines are skipped. JSON and YAML are strict: duplicate keys, NaN, tags,
aliases and nesting beyond `yamlfile.DEPTH` are problems. Every bad row is one problem; a YAML file that cannot be
parsed is one problem in all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from steelyard.artifact import parse_json
from steelyard.errors import InputError, one_line
from steelyard.yamlfile import DEPTH, Entry, YamlError, location_in, parse, sentence

M = TypeVar("M", bound=BaseModel)

MOST = 5_000
"""Rows of one file."""

_COLUMN = re.compile(r": line 1 column (\d+) \(char \d+\)")
"""How Python's parser says where: its line is that of the row, not of the file."""

_DIGITS = 30
"""Powers of ten up to which a number is taken for one: 1e999999 would fill the memory."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row as data."""

    line: int
    data: Any
    entry: Entry | None = None
    """Of a YAML row: it knows the line of each key."""


def read_rows(name: str, text: str, problems: list[str]) -> Iterator[Row]:
    """The rows of a file in order; what cannot be parsed goes to `problems` on the way."""
    before, count = len(problems), 0
    for row in _yaml(name, text, problems) if name.endswith((".yaml", ".yml")) else _jsonl(name, text, problems):
        count += 1
        if count > MOST:
            problems.append(f"{name}, line {row.line}: more than {MOST:,} items")
            return
        yield row
    if not count and len(problems) == before:
        problems.append(f"{name}, line 1: the file has no items")


def validated(name: str, row: Row, model: type[M], problems: list[str]) -> M | None:
    """The row as a model; a row that does not fit goes to `problems`."""
    try:
        return model.model_validate(row.data)
    except ValidationError as error:
        location = location_in(row.data, error)
        line = row.entry.at(location).line if row.entry is not None else row.line
        problems.append(f"{name}, line {line}: {_identity(row.data)}{sentence(error, location)}")
        return None


def _jsonl(name: str, text: str, problems: list[str]) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):  # not splitlines: a text may contain U+2028
        if not line.strip():
            continue
        try:
            data = parse_json(line, "the line")
        except InputError as error:
            deep = isinstance(error.__cause__, RecursionError)
            message = "nested too deeply" if deep else _COLUMN.sub(r" at column \1", one_line(error, 200))
            problems.append(f"{name}, line {number}: {message}")
            continue
        if _depth(data) > DEPTH:
            problems.append(f"{name}, line {number}: nested too deeply")
        else:
            yield Row(number, data)


def _yaml(name: str, text: str, problems: list[str]) -> Iterator[Row]:
    try:
        for entry in parse(text, name).items("the file"):
            yield Row(entry.line, _plain(entry.data()), entry)
    except YamlError as error:
        problems.append(f"{name}, line {error.line}: {error.problem}")


def _plain(value: Any) -> Any:
    """Exact decimals as the numbers of JSON."""
    if isinstance(value, Decimal):
        # Checked before the conversion: int(Decimal("1e999999")) would fill the memory.
        if not value.is_finite() or abs(value.adjusted()) > _DIGITS:
            return str(value)  # no number that an item needs; the model says so
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in cast(dict[str, Any], value).items()}
    return [_plain(part) for part in cast(list[Any], value)] if isinstance(value, list) else value


def _depth(value: Any) -> int:
    """How deep lists and mappings are nested; by layers, because how far Python may recurse depends on its release."""
    depth, layer = 0, _members(value)
    while layer is not None:
        depth += 1
        deeper = [found for part in layer if (found := _members(part)) is not None]
        layer = [part for found in deeper for part in found] if deeper else None
    return depth


def _members(value: Any) -> list[Any] | None:
    """What a list or mapping holds; None for any other value."""
    if isinstance(value, dict):
        return list(cast(dict[str, Any], value).values())
    return cast(list[Any], value) if isinstance(value, list) else None


def _identity(data: Any) -> str:
    name = cast(dict[str, Any], data).get("id") if isinstance(data, dict) else None
    return f"{one_line(name, 40)}: " if isinstance(name, str) and name.isprintable() else ""
