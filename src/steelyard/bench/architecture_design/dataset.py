"""Loads and validates the architecture dataset.

Every item has 8 to 12 facts, one reference and two pairs of labelled answers; every interpretation task has its diagram
as PNG and as text. An incomplete dataset raises `DatasetError`, which names the file, the id and the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pydantic import ValidationError

from steelyard.bench.architecture_design.facts import Fact, fenced

# `bench check` asks every dataset for its canary.
from steelyard.bench.architecture_design.model import CANARY as CANARY
from steelyard.bench.architecture_design.model import DesignItem, Options, Reference, TaskFacts, TruthPair, unlinked
from steelyard.bench.jsonl import DatasetError, M, parse_rows, read_bytes, read_text, require_unique
from steelyard.yamlfile import sentence

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
    items = _rows(ITEMS, DesignItem)
    ids = [item.id for item in items]
    require_unique(ITEMS, ids)
    for item in items:
        # Read here so that a missing picture is reported on loading, not in the middle of a run.
        if item.metadata.diagram is not None:
            diagram_png(item.metadata.diagram)
            diagram_text(item.metadata.diagram)
    facts = _rows(FACTS, TaskFacts)
    _complete(FACTS, ids, [row.id for row in facts])
    _complete(REFERENCES, ids, [reference.id for reference in _rows(REFERENCES, Reference)])
    both = [f"{item_id} {pair}" for item_id in ids for pair in "ab"]
    _complete(PAIRS, both, [f"{row.id} {row.pair}" for row in _rows(PAIRS, TruthPair)])
    lists = {row.id: row.options for row in _rows(OPTIONS, Options)}
    by_id = {row.id: _facts(row, lists) for row in facts}
    for item in items:
        if unknown := unlinked(item.expected, by_id[item.id]):
            raise DatasetError(f"{ITEMS}: {item.id}: an element rests on an unknown fact: {', '.join(unknown)}")
    return tuple(item.model_copy(update={"facts": by_id[item.id]}) for item in items)


@cache
def references() -> dict[str, str]:
    """Task id to expert answer, with the right facts at its end."""
    rows = {row.id: row.answer for row in _rows(REFERENCES, Reference)}
    return {item.id: f"{rows[item.id]}\n\n{right_facts(item.facts)}" for item in load()}


def pairs() -> tuple[TruthPair, ...]:
    """The labelled pairs in file order."""
    return _rows(PAIRS, TruthPair)


def right_facts(facts: tuple[Fact, ...]) -> str:
    """All facts with their right values, in the form that is asked for."""
    return fenced({fact.name: fact.answer for fact in facts})


def diagram_png(name: str) -> bytes:
    """The picture of one architecture, as PNG."""
    content = read_bytes(PACKAGE, f"diagrams/{name}.png")
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        raise DatasetError(f"diagrams/{name}.png: not a PNG")
    return content


def diagram_text(name: str) -> str:
    """The same architecture as text."""
    return read_text(PACKAGE, f"diagrams/{name}.txt")


def judge_context(item: DesignItem) -> str:
    """What a judge is told: the task, the architecture in words, and the elements, which the subject never sees."""
    expected = item.expected
    lines = [f"- {component.name}: {component.role}" for component in expected.components]
    lines += [f"- {flow.statement}" for flow in expected.flows]
    for finding in expected.findings:
        remedy = f" Remedy: {finding.remedy.statement}" if finding.remedy is not None else ""
        lines.append(f"- {finding.statement}{remedy}")
    parts = [item.input.strip()]
    if item.metadata.diagram is not None:
        parts.append(f"The architecture in words:\n{diagram_text(item.metadata.diagram).strip()}")
    full = "What a full answer holds (other words and other sound solutions count as well):"
    return "\n\n".join([*parts, "\n".join([full, *lines])])


def _rows(file: str, model: type[M]) -> tuple[M, ...]:
    return parse_rows(file, read_text(PACKAGE, file), model)


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


def _complete(file: str, expected: list[str], names: list[str]) -> None:
    require_unique(file, names)
    if missing := [name for name in expected if name not in names]:
        raise DatasetError(f"{file}: missing: {', '.join(missing)}")
    if surplus := [name for name in names if name not in expected]:
        raise DatasetError(f"{file}: does not belong to any task: {', '.join(surplus)}")
