"""The texts an answer is compared with, the words specific to a task's situation, and what a sentence is to a task.

Law: what a sentence is depends on the sentence and the task alone, never on the rest of the answer, so that no added
text can change it. (Two exceptions can only take away: sentences that contradict each other are false, and where much
of the task is restated, so are the lines that hold a name alone.)
- Every sentence gets points for what it has of the task and loses points for what it has not (`Points`): words of the
  task's text that few other tasks have, its numbers, words of the key, components; foreign services and words that
  neither the task nor the key nor the reference has. Words that textbooks use of any architecture
  (`general_words.txt`) count little, wherever they are from; the form of a definition or of a general rule costs.
- A sentence is *bound* to the task if it names a component, or has rare words or numbers of the task's text (`BOUND` in
  sum). It is *tied* if it is bound, has `TIED` points or more, and at least as many as in any other task: what fits
  another task better was not said about this one. One that is not bound is tied if it fits this task clearly better
  than any other (`REFERRING`, `UNBOUND`); if it fits no other better, it is *context*: it can complete what a tied
  sentence near it says (`evidence`), and earns nothing by itself.
- Any other sentence is *off topic*, also if it is true of every architecture; so is one that restates the task.
- A sentence that contradicts the facts, or another of the answer, is *false* (`claims`).
- A sentence's *anchor*, in [0, 1], is how surely it is about this task: its rare words of the task's text and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from steelyard.bench.architecture_design.dataset import diagram_text, load, references
from steelyard.bench.architecture_design.heuristic.claims import Facts, contradictory
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import Kind, sentences_of, words_of
from steelyard.bench.architecture_design.heuristic.services import meaning, nouns, vocabulary
from steelyard.bench.architecture_design.model import DesignItem, Expected

TIED = 0.0
"""Points from which a sentence may be tied to the task or context."""
BOUND = 0.3
"""Rarity of a sentence's words of the task's text and its numbers, in sum, that binds it without a component's name."""
REFERRING, UNBOUND = 0.5, 1.5
"""Points that a sentence needs beyond those in any other task if it only refers to a component by a noun (`the queue`),
and if it is not bound at all."""
SENTENCE = 3
"""Words below which a line is a heading or an entry of a list, and context at best; so is one of names alone."""
COMMON = 7
"""Tasks that have a word in their text, key or reference from which it is not rare at all."""
LEAST_ANCHOR = 0.15
"""The anchor of a tied sentence without any rare word or number."""
SHARED = 3
"""Tasks that may share a word of the situation; a word in more tasks is general vocabulary."""
RESTATED, RESTATED_RUN = 0.8, 5
"""Share of a sentence's words that are runs of the task's text, and words in a run, if it restates the task."""
ECHO = 3
"""Sentences that restate the task from which names alone on a line do so, too."""
_TEXTBOOK = re.compile(
    r"^(?:always|never|use|enable|implement|deploy|encrypt|apply|consider|ensure|follow|monitor|grant|take|define|choose"
    r"|adopt|leverage|design|amazon|aws)\b"
    r"|^[\w /-]{2,40} (?:is|are) an? (?:[\w-]+ ){0,5}(?:service|database|storage|network|system|pattern|warehouse)\b"
    r"|\blets? you\b|\bsuch as\b"
)
"""Forms of sentences that textbooks and lists of best practices are made of."""
_NUMBER = re.compile(r"\d")
_DEFINITE = re.compile(r"\b(?:the|this|that|its|their) $")


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
    return frozenset(word for word in _content(prompt) if _tasks_with().get(word, 0) <= SHARED)


class Points(NamedTuple):
    """What a sentence has of a task, each up to a cap."""

    rare: float
    """Rarity of its words of the task's text; 3 at most."""
    general: int
    """Its words of the task's text that are general; 4 at most."""
    key: float
    """Rarity of its words of the key; 2 at most."""
    numbers: int
    """The task's numbers; 2 at most."""
    components: int
    """Components named; 3 at most."""
    foreign: int
    """Services named that neither the task nor the key has; 3 at most."""
    unknown: int
    """Words, other than numbers, that the task, the key and the reference lack; 8 at most."""
    textbook: bool
    """Whether it has the form of a definition or of a rule for everyone."""

    @property
    def total(self) -> float:
        gained = 2.5 * self.rare + 0.5 * self.general + 1.5 * self.key + self.numbers + 0.5 * self.components
        return 1.0 + gained - self.foreign - 0.5 * self.unknown - 1.5 * self.textbook

    @property
    def bound(self) -> bool:
        return self.components > 0 or self.rare + self.numbers >= BOUND

    @property
    def anchor(self) -> float:
        return min(max(self.rare + self.numbers, LEAST_ANCHOR), 1.0)


class Sorter:
    """Sorts the sentences of answers to one task."""

    def __init__(self, item: DesignItem) -> None:
        self._id = item.id
        self._kind = lru_cache(maxsize=2_048)(self._alone)
        self._facts, self._own = Facts(statements_of(item)), _own_words(item)
        self._shown = _content(task_text(item)) | _numbers(task_text(item))
        self._key = _content("\n".join(key_of(item.expected))) - self._shown
        components = [meaning(component.name) for component in item.expected.components]
        self._components = frozenset[str]().union(*components)
        self._nouns = nouns(components)
        known = vocabulary().mentions("\n".join((task_text(item), *key_of(item.expected))).lower())
        self._services = self._components.union(*(mention.services for mention in known))
        shown = words_of(task_text(item))
        lines = [*task_text(item).splitlines(), *sentences_of(task_text(item))]
        self._lines = {tuple(words_of(line)) for line in lines}
        self._runs = {tuple(shown[index : index + RESTATED_RUN]) for index in range(len(shown) - RESTATED_RUN + 1)}

    def __call__(self, sentences: Sequence[str]) -> list[Kind]:
        restating = [self._restates(sentence) for sentence in sentences]
        if sum(restating) >= ECHO:
            restating = [
                same or tuple(words_of(sentence)) in self._lines
                for same, sentence in zip(restating, sentences, strict=True)
            ]
        against_others = contradictory(sentences)
        return [
            "off_topic" if restating[index] else "false" if index in against_others else self._kind(sentence)
            for index, sentence in enumerate(sentences)
        ]

    def _alone(self, sentence: str) -> Kind:
        """What a sentence that does not restate the task is to it."""
        if self._facts.contradicted_by(sentence):
            return "false"
        points = self.points(sentence)
        if points.total < TIED:
            return "off_topic"
        lead = points.total - self._elsewhere(sentence)
        needed = 0.0 if points.bound else REFERRING if self._refers(sentence) else UNBOUND
        says_something = _parsed(sentence)[1] - {"→"}  # besides names
        if lead >= needed and says_something and len(words_of(sentence)) >= SENTENCE:
            return "tied"
        return "context" if lead >= 0.0 else "off_topic"

    def _refers(self, sentence: str) -> bool:
        """Whether a sentence refers to one of the components by a noun with `the` or the like."""
        mentions = self._nouns.mentions(sentence)
        return any(_DEFINITE.search(sentence[: mention.start]) for mention in mentions)

    def _elsewhere(self, sentence: str) -> float:
        """The most points that a sentence has in any other task."""
        return max(sorter(item).points(sentence).total for item in load() if item.id != self._id)

    def points(self, sentence: str) -> Points:
        """The points of a lower-case sentence."""
        named, content = _parsed(sentence)
        shown, general = content & self._shown, _general_words()
        return Points(
            rare=min(sum(_rarity(word) for word in shown - general if not _NUMBER.search(word)), 3.0),
            general=min(len(shown & general), 4),
            key=min(sum(_rarity(word) for word in (content & self._key) - general), 2.0),
            numbers=min(sum(_NUMBER.search(word) is not None for word in shown), 2),
            components=min(sum(bool(services & self._components) for services in named), 3),
            foreign=min(sum(not services & self._services for services in named), 3),
            unknown=min(sum(not _NUMBER.search(word) for word in content - self._own), 8),
            textbook=_TEXTBOOK.search(sentence) is not None,
        )

    def _restates(self, sentence: str) -> bool:
        """Whether a sentence is a line of the task's text, or nearly all its words are runs of it."""
        words = words_of(sentence)
        if tuple(words) in self._lines:
            name = words[0] if words else ""
            return len(words) > 1 or not vocabulary().mentions(name)  # a name alone may be an answer's heading
        if len(words) < RESTATED_RUN:
            return False
        runs = [index for index in range(len(words) - RESTATED_RUN + 1) if self._is_run(words, index)]
        return len({index + step for index in runs for step in range(RESTATED_RUN)}) >= RESTATED * len(words)

    def _is_run(self, words: Sequence[str], index: int) -> bool:
        return tuple(words[index : index + RESTATED_RUN]) in self._runs


@lru_cache(maxsize=4_096)
def _parsed(sentence: str) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """The services that a sentence names, and the stems of its other content words."""
    named = vocabulary().mentions(sentence)
    rest = sentence
    for mention in reversed(named):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    content = frozenset(stem(word) for word in words_of(rest) if word not in FUNCTION_WORDS)
    return tuple(mention.services for mention in named), content


@cache
def sorter(item: DesignItem) -> Sorter:
    """The sorter of a task."""
    return Sorter(item)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if _NUMBER.search(word) and len(word) > 1)


@cache
def _general_words() -> frozenset[str]:
    """The words that textbooks use, with and without their endings."""
    listed = files("steelyard.bench.architecture_design").joinpath("general_words.txt").read_text(encoding="utf-8")
    words = " ".join(line for line in listed.splitlines() if not line.startswith("#")).split()
    return frozenset((*words, *map(stem, words)))


def _rarity(word: str) -> float:
    """1 for a word of one task alone, falling to 0 for one of `COMMON` tasks."""
    return min(max(COMMON - _holders().get(word, 0), 0) / (COMMON - 1), 1.0)


@cache
def _content(prompt: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(prompt) if len(word) >= 4 and word not in FUNCTION_WORDS)


def _own_words(item: DesignItem) -> frozenset[str]:
    """The words of a task, its key and its reference."""
    texts = "\n".join((task_text(item), *key_of(item.expected), references().get(item.id, "")))
    return frozenset(stem(word) for word in words_of(texts) if len(word) > 2 and word not in FUNCTION_WORDS)


@cache
def _holders() -> Mapping[str, int]:
    """Word to the number of tasks that have it in their text, key or reference."""
    return _counts(
        _content("\n".join((task_text(item), *key_of(item.expected), references().get(item.id, "")))) for item in load()
    )


@cache
def _tasks_with() -> Mapping[str, int]:
    """Word to the number of tasks in which it occurs."""
    return _counts(_content(task_text(item)) for item in load())


def _counts(sets: Iterable[frozenset[str]]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for words in sets:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    return counts


def stem(word: str) -> str:
    """A word without its most common endings."""
    bare = word.removesuffix("'s")
    for ending in ("ing", "ies", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            return bare.removesuffix(ending)
    return bare
