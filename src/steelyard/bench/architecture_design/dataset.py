"""Loads and validates the architecture dataset.

Every item has 8 to 12 facts, one reference and two pairs of labelled answers; every interpretation task has its diagram
as PNG and as text. An incomplete dataset raises `DatasetError`, which names the file, the id and the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pydantic import ValidationError

from steelyard.bench.architecture_design.facts import Fact, fenced
from steelyard.bench.architecture_design.model import (
    CANARY,
    DesignItem,
    Options,
    Reference,
    TaskFacts,
    TruthPair,
    unlinked,
)
from steelyard.bench.jsonl import DatasetError, parse_rows, read_bytes, read_text, require_unique
from steelyard.yamlfile import sentence

__all__ = ["CANARY", "DATASET_VERSION", "DatasetError", "diagram_png", "diagram_text", "load", "pairs", "references"]

DATASET_VERSION = "2.1.0"
"""Raised whenever a task, fact, label or diagram changes. 2.0.0: facts, and pairs of answers instead of graded ones.
2.1.0: options in alphabetical order; seven facts ask for what has one answer."""

PACKAGE = "steelyard.bench.architecture_design"
ITEMS = "architecture_interpretation.jsonl"
FACTS = "facts.jsonl"
OPTIONS = "options.jsonl"
REFERENCES = "references.jsonl"
PAIRS = "pairs.jsonl"


@cache
def load() -> tuple[DesignItem, ...]:
    """All tasks with their facts in file order, after checking that diagrams, references and pairs are complete."""
    items = parse_rows(ITEMS, _text(ITEMS), DesignItem)
    ids = [item.id for item in items]
    require_unique(ITEMS, ids)
    for item in items:
        if item.metadata.diagram is not None:
            diagram_png(item.metadata.diagram)
            diagram_text(item.metadata.diagram)
    facts = parse_rows(FACTS, _text(FACTS), TaskFacts)
    _complete(FACTS, ids, [row.id for row in facts])
    _complete(REFERENCES, ids, [reference.id for reference in parse_rows(REFERENCES, _text(REFERENCES), Reference)])
    expected = [f"{item_id} {pair}" for item_id in ids for pair in "ab"]
    _complete(PAIRS, expected, [f"{row.id} {row.pair}" for row in parse_rows(PAIRS, _text(PAIRS), TruthPair)])
    lists = {row.id: row.options for row in parse_rows(OPTIONS, _text(OPTIONS), Options)}
    by_id = {row.id: _facts(row, lists) for row in facts}
    return tuple(_linked(item.model_copy(update={"facts": by_id[item.id]})) for item in items)


@cache
def references() -> dict[str, str]:
    """Task id to expert answer, with the right facts at its end."""
    rows = {row.id: row.answer for row in parse_rows(REFERENCES, _text(REFERENCES), Reference)}
    return {item.id: f"{rows[item.id]}\n\n{right_facts(item.facts)}" for item in load()}


@cache
def pairs() -> tuple[TruthPair, ...]:
    """The labelled pairs in file order."""
    load()
    return parse_rows(PAIRS, _text(PAIRS), TruthPair)


def right_facts(facts: tuple[Fact, ...]) -> str:
    """All facts with their right values, in the form that is asked for."""
    return fenced({fact.name: fact.answer for fact in facts})


def diagram_png(name: str, package: str = PACKAGE) -> bytes:
    """The picture of one architecture of a package, as PNG."""
    content = read_bytes(package, f"diagrams/{name}.png")
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        raise DatasetError(f"diagrams/{name}.png: not a PNG")
    return content


def diagram_text(name: str, package: str = PACKAGE) -> str:
    """The same architecture as text."""
    return read_text(package, f"diagrams/{name}.txt")


def _facts(row: TaskFacts, lists: Mapping[str, tuple[str, ...]]) -> tuple[Fact, ...]:
    require_unique(f"{FACTS}: {row.id}", [str(fact.get("name")) for fact in row.facts])
    try:
        named = [(fact, fact.get("options")) for fact in row.facts]
        return tuple(
            Fact.model_validate({**fact, "options": lists[name]} if isinstance(name, str) else fact)
            for fact, name in named
        )
    except KeyError as error:
        raise DatasetError(f"{FACTS}: {row.id}: there is no list of options {error}") from error
    except ValidationError as error:
        raise DatasetError(f"{FACTS}: {row.id}: {sentence(error)}") from error


def _linked(item: DesignItem) -> DesignItem:
    """The item, if every element rests on a fact that it has."""
    if unknown := unlinked(item.expected, item.facts):
        raise DatasetError(f"{ITEMS}: {item.id}: an element rests on an unknown fact: {', '.join(unknown)}")
    return item


def _complete(file: str, expected: list[str], names: list[str]) -> None:
    require_unique(file, names)
    if missing := [name for name in expected if name not in names]:
        raise DatasetError(f"{file}: missing: {', '.join(missing)}")
    if surplus := [name for name in names if name not in expected]:
        raise DatasetError(f"{file}: does not belong to any task: {', '.join(surplus)}")


def _text(path: str) -> str:
    return read_text(PACKAGE, path)
