"""The texts an answer is compared with, the words specific to a task's situation, and what a sentence is to a task.

Law:
- A sentence is *tied* to a task if it has a word of the task, its architecture, key or reference that textbooks do not
  use of any architecture (`general_words.txt`), or one of its numbers; a word that they use of single services
  (`textbook_words.txt`) must be in the task's text. Or it points to something outside the sentence (`this`, `today`,
  a pronoun at its start) and `RELEVANT` of its content words, or one of a few, are words of the situation or the key.
- Else it is *general* if it names a component of the task: it may be true of any architecture. General sentences are
  believed only together: if those that are not tied name many services that the task does not have (`FOREIGN`), they
  are a textbook's.
- Any other sentence is *off topic*, also if it is good advice for any architecture; so is one that restates the task.
- A sentence that contradicts the facts, or another of the answer, is *false* (`claims`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from steelyard.bench.architecture_design.dataset import diagram_text, load, references
from steelyard.bench.architecture_design.heuristic.claims import Facts, contradictory
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import Kind, sentences_of, words_of
from steelyard.bench.architecture_design.heuristic.services import meaning, nouns, vocabulary
from steelyard.bench.architecture_design.model import DesignItem, Expected

RELEVANT = 0.35
"""Share of a sentence's content words that are words of the situation or the key, if it has to do with the task."""
POINTING = 0.4
"""The same share for a sentence that only points to something."""
BRIEF = 6
"""Content words up to which one such word is enough; in a longer sentence it takes two."""
REMARK = 3
"""Content words, besides names, up to which a sentence that names a service of the key is not off topic."""
FOREIGN = 0.2
"""Share of foreign services among those of untied sentences from which these are a textbook's; one is free."""
SHARED = 3
"""Tasks that may share a word of the situation; a word in more tasks is general vocabulary."""
RESTATED, RESTATED_RUN = 0.8, 5
"""Share of a sentence's words that are runs of the task's text, and words in a run, if it restates the task."""
ECHO = 3
"""Sentences that restate the task from which names alone on a line do so, too."""
_ARTICLES = (" the", " this", " that", " its", " our", " your", " one")
_POINTING_WORDS = """
    this these those that's there's here today now tonight currently still i i'd i'll we we'd our us
    you you'd you'll your nobody somebody
"""
_POINTING = frozenset(_POINTING_WORDS.split())
"""Words that point to something said before, or to the reader's own architecture."""
_PRONOUNS = frozenset("it its itself they them their theirs".split())  # noqa: SIM905
"""Words that point to something said before, unless their own sentence names it first."""
_OPENING = 4
"""Words at the start of a sentence in which a pronoun points to an earlier sentence."""
_DEFINITE = re.compile(r"(?<!\w)(?:the|this|that|both|our)(?: \w+)?\s*$")
"""What precedes a component that is one of this architecture's, and not any."""
_NUMBER = re.compile(r"\d")


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


class Sorter:
    """Sorts the sentences of answers to one task."""

    def __init__(self, item: DesignItem) -> None:
        self._facts, self._ties, self._own = Facts(statements_of(item)), _ties(item), _own_words(item)
        components = [meaning(component.name) for component in item.expected.components]
        self._components, self._nouns = frozenset[str]().union(*components), nouns(components)
        known = vocabulary().mentions("\n".join((task_text(item), *key_of(item.expected))).lower())
        self._services = self._components.union(*(mention.services for mention in known))
        shown = words_of(task_text(item))
        lines = [*task_text(item).splitlines(), *sentences_of(task_text(item))]
        self._lines = {tuple(words_of(line)) for line in lines}
        self._runs = {tuple(shown[index : index + RESTATED_RUN]) for index in range(len(shown) - RESTATED_RUN + 1)}

    def __call__(self, sentences: Sequence[str]) -> list[Kind]:
        kinds: list[Kind] = [self._kind(sentence) for sentence in sentences]
        for index in contradictory(sentences):
            kinds[index] = "false"
        untied = " . ".join(
            sentence for sentence, kind in zip(sentences, kinds, strict=True) if kind in ("general", "off_topic")
        )
        mentions = [mention.services for mention in vocabulary().mentions(untied)]
        named = {min(services & self._services or services) for services in mentions}
        foreign = named - self._services
        restated = sum(self._restates(words_of(sentence)) for sentence in sentences)
        if restated >= ECHO:
            kinds = [_echoed(sentence, kind, self._lines) for sentence, kind in zip(sentences, kinds, strict=True)]
        textbook = len(foreign) > max(FOREIGN * len(named), 1)
        return [_without_general(kind) for kind in kinds] if textbook else kinds

    def _kind(self, sentence: str) -> Kind:
        if self._restates(words_of(sentence)):
            return "off_topic"
        if self._facts.contradicted_by(sentence):
            return "false"
        named = vocabulary().mentions(sentence)
        rest = sentence
        for mention in reversed(named):
            rest = f"{rest[: mention.start]} {rest[mention.end :]}"
        words = words_of(rest)
        content = {stem(word) for word in words if word not in FUNCTION_WORDS}
        names = sum(bool(mention.services & self._components) for mention in named)
        own = len(content & self._own) + names
        needed = RELEVANT if content & self._ties else POINTING
        tied = bool(content & self._ties) or self._points(sentence)
        if tied and own >= max(needed * (len(content) + names), 1 if len(content) <= BRIEF else 2):
            return "tied"
        # Honest answers put a remedy in a few words behind its finding: `RDS Proxy helps`.
        remark = len(content) <= REMARK and any(mention.services & self._services for mention in named)
        return "general" if names or remark or self._refers(sentence) else "off_topic"

    def _points(self, sentence: str) -> bool:
        """Whether a sentence points to something outside it: textbooks use pronouns for what they have just named."""
        words = words_of(sentence)
        if not _POINTING.isdisjoint(words) or not _PRONOUNS.isdisjoint(words[:_OPENING]):
            return True
        return not _PRONOUNS.isdisjoint(words) and self._definite(sentence)

    def _definite(self, sentence: str) -> bool:
        """Whether a sentence names a component as one of this architecture: `the Lambda`, `that old queue`."""
        mentions = [*vocabulary().mentions(sentence), *self._nouns.mentions(sentence)]
        own = (mention for mention in mentions if mention.services & self._components)
        return any(_DEFINITE.search(sentence[: mention.start]) for mention in own)

    def _refers(self, sentence: str) -> bool:
        """Whether a sentence refers to a component by a noun with an article: `the queue`."""
        nouns_in_it = self._nouns.mentions(sentence)
        return any(f" {sentence[: mention.start].rstrip()}".endswith(_ARTICLES) for mention in nouns_in_it)

    def _restates(self, words: Sequence[str]) -> bool:
        """Whether a sentence is a line of the task's text, or nearly all its words are runs of it."""
        if tuple(words) in self._lines:
            return len(words) > 1 or not vocabulary().mentions(words[0])  # a name alone may be an answer's heading
        if len(words) < RESTATED_RUN:
            return False
        runs = [index for index in range(len(words) - RESTATED_RUN + 1) if self._is_run(words, index)]
        return len({index + step for index in runs for step in range(RESTATED_RUN)}) >= RESTATED * len(words)

    def _is_run(self, words: Sequence[str], index: int) -> bool:
        return tuple(words[index : index + RESTATED_RUN]) in self._runs


def _echoed(sentence: str, kind: Kind, lines: Container[tuple[str, ...]]) -> Kind:
    return "off_topic" if tuple(words_of(sentence)) in lines else kind


def _without_general(kind: Kind) -> Kind:
    return "off_topic" if kind == "general" else kind


@cache
def sorter(item: DesignItem) -> Sorter:
    """The sorter of a task."""
    return Sorter(item)


def _ties(item: DesignItem) -> frozenset[str]:
    """The words and numbers that tie a sentence to a task."""
    shown = task_text(item)
    numbers = {word for word in words_of(shown) if _NUMBER.search(word) and len(word) > 1}
    behind = "\n".join((*key_of(item.expected), references().get(item.id, "")))
    unseen = _content(behind) - _listed("textbook_words.txt")
    return (_content(shown) | numbers | unseen) - _listed("general_words.txt")


@cache
def _listed(name: str) -> frozenset[str]:
    """The words of a list, with and without their endings."""
    listed = files("steelyard.bench.architecture_design").joinpath(name).read_text(encoding="utf-8")
    words = " ".join(line for line in listed.splitlines() if not line.startswith("#")).split()
    return frozenset((*words, *map(stem, words)))


@cache
def _content(prompt: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(prompt) if len(word) >= 4 and word not in FUNCTION_WORDS)


def _own_words(item: DesignItem) -> frozenset[str]:
    """The words of a task, its key and its reference."""
    texts = "\n".join((task_text(item), *key_of(item.expected), references().get(item.id, "")))
    return frozenset(stem(word) for word in words_of(texts) if len(word) > 2 and word not in FUNCTION_WORDS)


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
