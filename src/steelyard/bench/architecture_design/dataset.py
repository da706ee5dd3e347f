"""The architecture tasks as data: read, checked, and complete or refused.

Every item has exactly one reference and exactly one labelled response per tier; every interpretation task has its
diagram as PNG and as text. An error names the file, the id and the field.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TypeVar, cast

from pydantic import ValidationError

from steelyard.bench.architecture_design.model import CANARY, DesignItem, DesignRow, Labelled, Reference
from steelyard.errors import InputError

__all__ = [
    "CANARY",
    "DATASET_VERSION",
    "DatasetError",
    "diagram_png",
    "diagram_text",
    "load",
    "references",
    "responses",
]

DATASET_VERSION = "1.0.0"
"""1.0.0: the first 28 tasks. A changed task, label or diagram raises it."""

ITEMS = "architecture_interpretation.jsonl"
REFERENCES = "references.jsonl"
RESPONSES = "responses.jsonl"
TIERS = ("good", "weak", "bad")

R = TypeVar("R", bound=DesignRow)


class DatasetError(InputError):
    """The shipped data is damaged; the message names file, id and field."""


@cache
def load() -> tuple[DesignItem, ...]:
    """All tasks in file order, with their diagrams, references and responses known to be complete."""
    items = parse(ITEMS, _text(ITEMS), DesignItem)
    _unique(ITEMS, [item.id for item in items])
    for item in items:
        if item.metadata.diagram is not None:
            diagram_png(item.metadata.diagram)
            diagram_text(item.metadata.diagram)
    ids = [item.id for item in items]
    _complete(REFERENCES, ids, [reference.id for reference in parse(REFERENCES, _text(REFERENCES), Reference)])
    wanted = [f"{item_id} {tier}" for item_id in ids for tier in TIERS]
    labelled = parse(RESPONSES, _text(RESPONSES), Labelled)
    _complete(RESPONSES, wanted, [f"{row.id} {row.tier}" for row in labelled])
    return items


@cache
def references() -> dict[str, str]:
    """The expert answer per task id."""
    load()
    return {row.id: row.answer for row in parse(REFERENCES, _text(REFERENCES), Reference)}


@cache
def responses() -> tuple[Labelled, ...]:
    """The graded responses in file order: good, weak and bad of every task."""
    load()
    return parse(RESPONSES, _text(RESPONSES), Labelled)


def diagram_png(name: str) -> bytes:
    """The picture of one architecture."""
    content = _bytes(f"diagrams/{name}.png")
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        raise DatasetError(f"diagrams/{name}.png: not a PNG")
    return content


def diagram_text(name: str) -> str:
    """The same architecture in words."""
    return _text(f"diagrams/{name}.txt")


def parse(file: str, content: str, row: type[R]) -> tuple[R, ...]:
    """The rows of one JSONL text; blank lines do not count."""
    lines = enumerate(content.splitlines(), start=1)
    return tuple(_row(f"{file}:{number}", line, row) for number, line in lines if line.strip())


def _row(where: str, line: str, row: type[R]) -> R:
    try:
        raw: object = json.loads(line)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{where}: not JSON: {error}") from error
    identity = cast(dict[str, object], raw).get("id", "no id") if isinstance(raw, dict) else "not an object"
    try:
        return row.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "row"
        raise DatasetError(f"{where}: {identity}: {field}: {first['msg']}") from error


def _complete(file: str, wanted: list[str], given: list[str]) -> None:
    _unique(file, given)
    if missing := [name for name in wanted if name not in given]:
        raise DatasetError(f"{file}: missing: {', '.join(missing)}")
    if surplus := [name for name in given if name not in wanted]:
        raise DatasetError(f"{file}: belongs to no task: {', '.join(surplus)}")


def _unique(file: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DatasetError(f"{file}: twice: {name}")
        seen.add(name)


def _bytes(path: str) -> bytes:
    try:
        return files("steelyard.bench.architecture_design").joinpath(path).read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error


def _text(path: str) -> str:
    try:
        return _bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not UTF-8 at byte {error.start}") from error
