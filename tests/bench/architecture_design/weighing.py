"""How the tests weigh an answer: the whole law, without a model. Mermaid is taken at its word here; the parser has its
own tests."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import pytest

from steelyard.bench.architecture_design.dataset import load, references, responses
from steelyard.bench.architecture_design.diagram import judged
from steelyard.bench.architecture_design.heuristic.dimensions import heuristic
from steelyard.bench.architecture_design.model import DesignItem
from steelyard.bench.architecture_design.score import Adjusted, adjusted

SHARED = pytest.mark.xdist_group("weighing")
"""One worker for the tests that weigh shipped answers: three would read each task, and score each answer thrice."""
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)]|#+)\s+")


def weighed(item: DesignItem, answer: str) -> Adjusted:
    read = heuristic(item, answer)
    wanted = item.metadata.output_format
    diagram = judged(answer, wanted, item.metadata.expected_components, lambda text: None) if wanted else None
    return adjusted(read.raw, read.reading, diagram)


def score(item: DesignItem, answer: str) -> float:
    """The score of a shipped item; remembered, because several tests ask for the same ones."""
    return _score(item.id, answer)


@lru_cache(maxsize=5_000)
def _score(item_id: str, answer: str) -> float:
    return weighed(item(item_id), answer).score


@cache
def tier(item_id: str, name: str) -> str:
    return next(row.response for row in responses() if row.id == item_id and row.tier == name)


def item(item_id: str) -> DesignItem:
    return next(each for each in load() if each.id == item_id)


def reference(item_id: str) -> str:
    return references()[item_id]


def prose(answer: str) -> str:
    """The same words as running text; fenced diagrams stay."""
    lines = [_MARKER.sub("", line).strip().strip("|").strip() for line in _FENCE.sub("", answer).splitlines()]
    return " ".join(line if line[-1] in ".!?:;" else f"{line}." for line in lines if line) + _fences(answer)


def bullets(answer: str) -> str:
    """The same words as one list item per sentence; fenced diagrams stay."""
    lines = [_MARKER.sub("", line) for line in _FENCE.sub("", answer).splitlines()]
    sentences = [part.strip() for line in lines for part in re.split(r"(?<=[.!?])\s+", line) if part.strip()]
    return "\n".join(f"- {sentence}" for sentence in sentences) + _fences(answer)


def _fences(answer: str) -> str:
    return "\n\n" + "\n\n".join(_FENCE.findall(answer))
