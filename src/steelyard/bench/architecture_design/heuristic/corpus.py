"""The texts of the tasks, and which of their words and pairs of words few tasks have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TypeVar

from steelyard.bench.architecture_design.dataset import diagram_text, load, references
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import sentences_of, words_of
from steelyard.bench.architecture_design.heuristic.services import Mention, vocabulary
from steelyard.bench.architecture_design.model import DesignItem, Expected

COMMON = 7
"""Tasks that have a word in their text, key or reference from which it is not rare at all."""
SHARED = 3
"""Tasks that may share a word of the situation; a word in more tasks is general vocabulary."""
NUMBER = re.compile(r"\d")
Entry = TypeVar("Entry")
_COUNTS = frozenset({"one", "two"})


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


def statements_of(item: DesignItem) -> tuple[str, ...]:
    """What is known to be true: the task, its architecture, the statements of its key, and its reference."""
    expected = item.expected
    statements = [flow.statement for flow in expected.flows]
    for finding in expected.findings:
        statements += [finding.statement, *([finding.remedy.statement] if finding.remedy else [])]
    return (task_text(item), *statements, references().get(item.id, ""))


def situation(prompt: str) -> frozenset[str]:
    """Words specific to the task's situation: content words of the prompt that few tasks share."""
    return frozenset(word for word in content(prompt) if tasks_with().get(word, 0) <= SHARED)


def numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if NUMBER.search(word) and len(word) > 1)


@cache
def general_words() -> frozenset[str]:
    """The words that textbooks use, with and without their endings."""
    listed = files("steelyard.bench.architecture_design").joinpath("general_words.txt").read_text(encoding="utf-8")
    words = " ".join(line for line in listed.splitlines() if not line.startswith("#")).split()
    return frozenset((*words, *map(stem, words)))


def rarity(word: str) -> float:
    """1 for a word of one task alone, falling to 0 for one of `COMMON` tasks."""
    return min(max(COMMON - _holders().get(word, 0), 0) / (COMMON - 1), 1.0)


@cache
def content(prompt: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(prompt) if len(word) >= 4 and word not in FUNCTION_WORDS)


def own_words(item: DesignItem) -> frozenset[str]:
    """The words of a task, its key and its reference."""
    texts = "\n".join((task_text(item), *key_of(item.expected), references().get(item.id, "")))
    return frozenset(stem(word) for word in words_of(texts) if len(word) > 2 and word not in FUNCTION_WORDS)


@cache
def _holders() -> Mapping[str, int]:
    """Word to the number of tasks that have it in their text, key or reference."""
    return _counts(
        content("\n".join((task_text(item), *key_of(item.expected), references().get(item.id, "")))) for item in load()
    )


def nameless(sentence: str, named: Sequence[Mention] | None = None) -> str:
    """A sentence without the services it names."""
    mentions = vocabulary().mentions(sentence) if named is None else named
    starts = [0, *(mention.end for mention in mentions)]
    ends = [*(mention.start for mention in mentions), len(sentence)]
    return " ".join(sentence[start:end] for start, end in zip(starts, ends, strict=True))


def pairs_of(sentence: str, *, apart: int = 1) -> Iterable[tuple[str, str]]:
    """The content words of a sentence with those that come at most so many content words later."""
    words = [stem(word) for word in words_of(sentence) if len(word) > 2 and word not in FUNCTION_WORDS - _COUNTS]
    return ((words[index], other) for index in range(len(words)) for other in words[index + 1 : index + 1 + apart])


@cache
def pairs_in(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pair for sentence in sentences_of(text) for pair in pairs_of(nameless(sentence)))


def pairs(item: DesignItem) -> frozenset[tuple[str, str]]:
    """The pairs of content words of a task's text, key and reference."""
    key = "\n".join((*key_of(item.expected), references().get(item.id, "")))
    return pairs_in(task_text(item)) | pairs_in(key)


@cache
def tasks_with_pair() -> Counter[tuple[str, str]]:
    """Pair to the number of tasks that have it in their text."""
    return _counts(pairs_in(task_text(item)) for item in load())


@cache
def pair_holders() -> Counter[tuple[str, str]]:
    """Pair to the number of tasks that have it in their text, key or reference."""
    return _counts(pairs(item) for item in load())


@cache
def short(text: str) -> frozenset[str]:
    """The words of three letters, most of them abbreviations."""
    return frozenset(word for word in words_of(text) if len(word) == 3 and word.isalpha()) - FUNCTION_WORDS


@cache
def short_holders() -> Counter[str]:
    """Word of three letters to the number of tasks that have it in their text."""
    return _counts(short(task_text(item)) for item in load())


@cache
def tasks_with() -> Counter[str]:
    """Word to the number of tasks in which it occurs."""
    return _counts(content(task_text(item)) for item in load())


def _counts(sets: Iterable[frozenset[Entry]]) -> Counter[Entry]:
    return Counter(entry for entries in sets for entry in entries)


def stem(word: str) -> str:
    """A word without its most common endings."""
    bare = word.removesuffix("'s")
    for ending in ("ing", "ies", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            return bare.removesuffix(ending)
    return bare
