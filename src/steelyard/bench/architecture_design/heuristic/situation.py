"""The texts an answer is compared with: the task, its key, and the words specific to its situation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from steelyard.bench.architecture_design.dataset import diagram_text, load
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import words_of
from steelyard.bench.architecture_design.model import DesignItem, Expected

SHARED = 3
"""Tasks that may share a word of the situation; a word in more tasks is general vocabulary."""


def task_text(item: DesignItem) -> str:
    """The task and its architecture as text, even if the subject saw a picture."""
    diagram = item.metadata.diagram
    return item.input if diagram is None else f"{item.input}\n\n{diagram_text(diagram)}"


def key_of(expected: Expected) -> tuple[str, ...]:
    """The key's statements and signals; the subject has not seen them, so an honest answer does not quote them."""
    entries: list[str] = []
    for component in expected.components:
        entries += [component.role, *(" ".join(group) for group in component.signals)]
    entries += [flow.statement for flow in expected.flows]
    for finding in expected.findings:
        entries += [finding.statement, *(" ".join(group) for group in finding.signals)]
        if finding.remedy is not None:
            entries += [finding.remedy.statement, *(" ".join(group) for group in finding.remedy.signals)]
    return tuple(entries)


def situation(prompt: str) -> frozenset[str]:
    """Words specific to the task's situation: content words of the prompt that few tasks share."""
    return frozenset(word for word in _content(prompt) if _tasks_with().get(word, 0) <= SHARED)


@cache
def _content(prompt: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(prompt) if len(word) >= 4 and word not in FUNCTION_WORDS)


@cache
def _tasks_with() -> Mapping[str, int]:
    """Word to the number of tasks in which it occurs."""
    counts: dict[str, int] = {}
    for item in load():
        for word in _content(task_text(item)):
            counts[word] = counts.get(word, 0) + 1
    return counts


def stem(word: str) -> str:
    """A word without its most common endings."""
    bare = word.removesuffix("'s")
    for ending in ("ing", "ies", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            return bare.removesuffix(ending)
    return bare
