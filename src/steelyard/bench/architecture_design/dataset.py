"""Loads and validates the architecture dataset.

Every item has exactly one reference and exactly one labelled response per tier; every interpretation task has its
diagram as PNG and as text. An incomplete dataset raises `DatasetError`, which names the file, the id and the field.
"""

from __future__ import annotations

from functools import cache

from steelyard.bench.architecture_design.model import CANARY, DesignItem, Labelled, Reference
from steelyard.bench.jsonl import DatasetError, parse_rows, read_bytes, read_text, require_unique

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
"""Raised whenever a task, label or diagram changes. 1.0.0: the first 28 tasks."""

PACKAGE = "steelyard.bench.architecture_design"
ITEMS = "architecture_interpretation.jsonl"
REFERENCES = "references.jsonl"
RESPONSES = "responses.jsonl"
TIERS = ("good", "weak", "bad")


@cache
def load() -> tuple[DesignItem, ...]:
    """All tasks in file order, after checking that diagrams, references and responses are complete."""
    items = parse_rows(ITEMS, _text(ITEMS), DesignItem)
    require_unique(ITEMS, [item.id for item in items])
    for item in items:
        if item.metadata.diagram is not None:
            diagram_png(item.metadata.diagram)
            diagram_text(item.metadata.diagram)
    ids = [item.id for item in items]
    _complete(REFERENCES, ids, [reference.id for reference in parse_rows(REFERENCES, _text(REFERENCES), Reference)])
    expected = [f"{item_id} {tier}" for item_id in ids for tier in TIERS]
    labelled = parse_rows(RESPONSES, _text(RESPONSES), Labelled)
    _complete(RESPONSES, expected, [f"{row.id} {row.tier}" for row in labelled])
    return items


@cache
def references() -> dict[str, str]:
    """Task id to expert answer."""
    load()
    return {row.id: row.answer for row in parse_rows(REFERENCES, _text(REFERENCES), Reference)}


@cache
def responses() -> tuple[Labelled, ...]:
    """The graded responses in file order: good, weak and bad of every task."""
    load()
    return parse_rows(RESPONSES, _text(RESPONSES), Labelled)


def diagram_png(name: str, package: str = PACKAGE) -> bytes:
    """The picture of one architecture of a package, as PNG."""
    content = read_bytes(package, f"diagrams/{name}.png")
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        raise DatasetError(f"diagrams/{name}.png: not a PNG")
    return content


def diagram_text(name: str, package: str = PACKAGE) -> str:
    """The same architecture as text."""
    return read_text(package, f"diagrams/{name}.txt")


def _complete(file: str, expected: list[str], names: list[str]) -> None:
    require_unique(file, names)
    if missing := [name for name in expected if name not in names]:
        raise DatasetError(f"{file}: missing: {', '.join(missing)}")
    if surplus := [name for name in names if name not in expected]:
        raise DatasetError(f"{file}: does not belong to any task: {', '.join(surplus)}")


def _text(path: str) -> str:
    return read_text(PACKAGE, path)
