"""Loads and validates the tasks; every task with a diagram has it as PNG and as text."""

from __future__ import annotations

from functools import cache

from steelyard.bench.architecture_design import dataset as diagrams
from steelyard.bench.hard_architecture.model import FactsItem
from steelyard.bench.jsonl import parse_rows, read_text, require_unique

DATASET_VERSION = "2.1.0"
"""Raised whenever a task, fact or diagram changes. 2.1.0: early facts, and the price of a wrong value in the prompt."""

PACKAGE = "steelyard.bench.hard_architecture"
ITEMS = "dataset.jsonl"


def parse(text: str) -> tuple[FactsItem, ...]:
    """All tasks of a JSON Lines text; raises `DatasetError` naming the line, the id and the field."""
    items = parse_rows(ITEMS, text, FactsItem)
    require_unique(ITEMS, [item.id for item in items])
    return items


@cache
def load() -> tuple[FactsItem, ...]:
    """The shipped tasks in file order, after checking that their diagrams are complete."""
    items = parse(read_text(PACKAGE, ITEMS))
    for item in items:
        if item.metadata.diagram is not None:
            diagram_png(item.metadata.diagram)
            diagram_text(item.metadata.diagram)
    return items


def diagram_png(name: str) -> bytes:
    """The picture of one architecture, as PNG."""
    return diagrams.diagram_png(name, PACKAGE)


def diagram_text(name: str) -> str:
    """The same architecture as text."""
    return diagrams.diagram_text(name, PACKAGE)
