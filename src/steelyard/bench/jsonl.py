"""The JSON Lines files of the datasets: package data in, checked rows out.

One object per line, no blank lines; a row that does not fit its model is refused with the file, the line, the
id and the field. Nothing is repaired.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from steelyard.errors import InputError
from steelyard.yamlfile import sentence

M = TypeVar("M", bound=BaseModel)


class DatasetError(InputError):
    """A shipped dataset is damaged; the message names file, id and field."""


def read_bytes(package: str, path: str) -> bytes:
    """The content of one file of a package."""
    try:
        return files(package).joinpath(path).read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error


def read_text(package: str, path: str) -> str:
    """The same as text."""
    try:
        return read_bytes(package, path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not UTF-8 at byte {error.start}") from error


def parse_rows(file: str, content: str, model: type[M]) -> tuple[M, ...]:
    """The rows of one JSONL text; `file` names it in errors."""
    lines = content.removesuffix("\n").split("\n")  # not splitlines: a text may contain U+2028
    return tuple(_row(f"{file}:{number}", line, model) for number, line in enumerate(lines, start=1))


def require_unique(file: str, names: Iterable[str]) -> None:
    """Refuse a name that occurs twice; `names` has one name per line of the file."""
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        if name in seen:
            raise DatasetError(f"{file}:{number}: duplicate id {name}")
        seen.add(name)


def _row(where: str, line: str, model: type[M]) -> M:
    try:
        # Parsed as plain data first, so that an error of the model can name the id of the row.
        raw: object = json.loads(line)
    except ValueError as error:
        raise DatasetError(f"{where}: not JSON: {error}") from error
    identity = cast(dict[str, object], raw).get("id", "no id") if isinstance(raw, dict) else "not an object"
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        raise DatasetError(f"{where}: {identity}: {sentence(error)}") from error
