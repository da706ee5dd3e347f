"""The texts of a task that an answer is compared with: the task itself, its key, and the words of its situation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from steelyard.bench.architecture_design.dataset import diagram_text, load
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import words_of
from steelyard.bench.architecture_design.model import DesignItem, Expected

SHARED = 3
"""Number of tasks that may share a word of the situation; a word in more tasks is general vocabulary."""


def task_text(item: DesignItem) -> str:
    """The task and its architecture in words, however it was shown."""
    diagram = item.metadata.diagram
    return item.input if diagram is None else f"{item.input}\n\n{diagram_text(diagram)}"


def key_of(expected: Expected) -> tuple[str, ...]:
    """Everything in a key that an honest answer cannot quote."""
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
    """Words of the task's own situation: words of the prompt that few tasks share, and that are no function words."""
    return frozenset(word for word in _content(prompt) if _tasks_with().get(word, 0) <= SHARED)


@cache
def _content(prompt: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(prompt) if len(word) >= 4 and word not in FUNCTION_WORDS)


@cache
def _tasks_with() -> Mapping[str, int]:
    """In how many tasks a word occurs."""
    counts: dict[str, int] = {}
    for item in load():
        for word in _content(task_text(item)):
            counts[word] = counts.get(word, 0) + 1
    return counts


def stem(word: str) -> str:
    """A word without its commonest endings."""
    bare = word.removesuffix("'s")
    for ending in ("ing", "ies", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            return bare.removesuffix(ending)
    return bare
