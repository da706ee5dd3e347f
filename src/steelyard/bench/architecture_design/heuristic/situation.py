"""What a sentence is to a task.

Law:
- Every sentence gets points for what it has of the task and loses points for what it has not (`Points`): words of the
  task's text that few other tasks have, its numbers, words of the key, components; foreign services and words that
  neither the task nor the key nor the reference has. Words that textbooks use of any architecture
  (`general_words.txt`) count little, wherever they are from; the form of a definition or of a general rule costs.
- A sentence with `TIED` points or more is *tied* to the task. One with at least `DOUBTFUL` is tied, too, if such
  sentences together have at most `PER_TIED` words for each word of tied ones beyond the first `SECURE`: in a long
  answer about this task they are context, in a short one they may be anything.
- Any other sentence is *off topic*, also if it is true of every architecture; so is one that restates the task.
- A sentence is *bound* if what it has of this task alone (rare words, numbers, pairs of words that no other task has)
  outweighs the words that are strange to it; or, where that is asked for, with the components it names, which textbooks
  name, too. One that is not bound counts only in its place (`discourse`); elsewhere it is *loose*, or off topic if it
  is doubtful.
- A sentence that *echoes* the task is not bound: nearly all its content words are neighbours in the task's
  text as well (`GAP`), whatever was left out between them, or are alone between commas, as labels in a list.
- A question is not bound, because it states nothing. One that has nothing to bind it is off topic, and so is any
  sentence that is not bound and has `STRANGE` words that are strange to the task. So is what is tied to the task by
  chance only, in the middle of text that is off topic (`discourse.together`).
- A sentence that contradicts the facts, or another of the answer, or speaks of a service as present that is not there,
  is *false* (`claims`, `presence`).
- A sentence's *anchor*, in [0, 1], is how surely it is about this task: its rare words of the task's text and numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from steelyard.bench.architecture_design.heuristic import corpus
from steelyard.bench.architecture_design.heuristic.claims import Facts, contradictory
from steelyard.bench.architecture_design.heuristic.discourse import continues, loose, together
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.presence import NEAR, Presence
from steelyard.bench.architecture_design.heuristic.reading import Kind, sentences_of, words_of
from steelyard.bench.architecture_design.heuristic.services import meaning, nouns, vocabulary
from steelyard.bench.architecture_design.model import DesignItem

TIED, DOUBTFUL = 0.5, -0.5
"""Points from which a sentence is tied to the task, and from which it may be."""
SECURE, PER_TIED = 60, 2.0
"""Words of tied sentences without which no doubtful one counts, and doubtful words allowed for each further one."""
BINDING_KEY = 1.0
"""Rarity of a sentence's words of the key from which they bind it to the task."""
STRANGE = 7
"""Words that task, key and reference lack from which a sentence that is not bound is not context, either."""
SENTENCE = 3
"""Words below which a line is a heading or an entry of a list, and doubtful at best."""
LEAST_ANCHOR = 0.15
"""The anchor of a tied sentence without any rare word or number."""
RESTATED, RESTATED_RUN = 0.8, 5
"""Share of a sentence's words that are runs of the task's text, and words in a run, if it restates the task."""
GAP = 3
"""Content words within which the next word of an echo stands in the task's text."""
ECHO = 3
"""Sentences that restate the task from which names alone on a line do so, too."""
_TEXTBOOK = re.compile(
    r"^(?:always|never|use|enable|implement|deploy|encrypt|apply|consider|ensure|follow|monitor|grant|take|define|choose"
    r"|adopt|leverage|design|amazon|aws)\b"
    r"|^[\w /-]{2,40} (?:is|are) an? (?:[\w-]+ ){0,5}(?:service|database|storage|network|system|pattern|warehouse)\b"
    r"|\blets? you\b|\bsuch as\b"
)
"""Forms of sentences that textbooks and lists of best practices are made of."""
_PIECE = re.compile(r"[,:()\[\]]")
_DEFINITE = re.compile(r"\b(?:the|this|that|these|those|its|our|your|their|both)\s+(?:[\w-]+\s+)?$")
_SUBJECT = re.compile(r"the ([\w-]+) ([\w-]+)")


class Points(NamedTuple):
    """What a sentence has of a task, each up to a cap."""

    rare: float
    """Rarity of its words of the task's text; 3 at most."""
    general: int
    """Its words of the task's text that are general; 4 at most."""
    key: float
    """Rarity of its words of the key; 2 at most."""
    numbers: int
    """The task's numbers; 5 at most."""
    components: int
    """Components named; 3 at most."""
    foreign: int
    """Services named that neither the task nor the key has; 3 at most."""
    unknown: int
    """Words that the task, the key and the reference lack; 8 at most."""
    definite: int
    """Components it refers to by a noun with `the` and the like; and its subject, if that is a thing of the task."""
    pairs: int
    """Two content words in a row that this task has and no other, and words of three letters that few others have."""
    textbook: bool
    """Whether it has the form of a definition or of a rule for everyone."""

    @property
    def total(self) -> float:
        gained = 2.5 * self.rare + 0.5 * self.general + 1.5 * self.key + self.numbers + 0.5 * self.components
        return 1.0 + gained - self.foreign - 0.5 * self.unknown - 1.5 * self.textbook

    @property
    def named(self) -> bool:
        """Whether it is bound by what it has of this task alone and the components it speaks of."""
        return self._own + self.components + self.definite > self._strange

    @property
    def firm(self) -> bool:
        """Whether it is bound by what it has of this task alone, without the components it speaks of."""
        return self._own > self._strange

    @property
    def _own(self) -> float:
        key = self.key if self.key >= BINDING_KEY or not self.unknown else 0.0
        return self.rare + self.numbers + self.pairs + key

    @property
    def _strange(self) -> float:
        return self.unknown / 4 + self.textbook / 2

    @property
    def anchor(self) -> float:
        return min(max(self.rare + self.numbers, LEAST_ANCHOR), 1.0)


class Sorter:
    """Sorts the sentences of answers to one task."""

    def __init__(self, item: DesignItem, *, by_name: bool) -> None:
        """`by_name` binds sentences by the names of components as well."""
        self._by_name = by_name
        self._facts, self._own = Facts(corpus.statements_of(item)), corpus.own_words(item)
        self.presence = Presence(item, (*corpus.statements_of(item), *corpus.key_of(item.expected)))
        text, key = corpus.task_text(item), corpus.key_of(item.expected)
        self._shown = corpus.content(text) | corpus.numbers(text)
        self._key = corpus.content("\n".join(key)) - self._shown
        components = [meaning(component.name) for component in item.expected.components]
        self._components = frozenset[str]().union(*components)
        self._nouns = nouns(components)
        self._subjects = frozenset(word for word in corpus.content(text) if corpus.tasks_with()[word] <= corpus.COMMON)
        told = (pair for pair in corpus.pairs_in(text) if corpus.tasks_with_pair()[pair] <= corpus.SHARED)
        known = (
            pair
            for pair in corpus.pairs(item)
            if corpus.pair_holders()[pair] <= 1 and not corpus.general_words().issuperset(pair)
        )
        short = (word for word in corpus.short(text) if corpus.short_holders().get(word, 0) <= corpus.SHARED)
        self._pairs = frozenset[str | tuple[str, str]]((*told, *known, *short))
        known = vocabulary().mentions("\n".join((text, *key)).lower())
        self._services = self._components.union(*(mention.services for mention in known))
        shown = words_of(text)
        lines = [*text.splitlines(), *sentences_of(text)]
        told = _content(text)
        self._told = frozenset(told)
        self._told_pairs = {(one, two) for place, one in enumerate(told) for two in told[place + 1 : place + 1 + GAP]}
        self._lines = {tuple(words_of(line)) for line in lines}
        self._runs = {tuple(shown[index : index + RESTATED_RUN]) for index in range(len(shown) - RESTATED_RUN + 1)}

    def __call__(self, sentences: Sequence[str], ends: Set[int] | None = None) -> list[Kind]:
        """What each sentence is; context counts only between two of those in `ends`, by default any that are firm."""
        words = [words_of(sentence) for sentence in sentences]
        restating = [self._restates(own) for own in words]
        if sum(restating) >= ECHO:
            restating = [same or tuple(own) in self._lines for same, own in zip(restating, words, strict=True)]
        false = contradictory(sentences) | self.presence.denied_by(sentences)
        false |= {
            index
            for index, sentence in enumerate(sentences)
            if not restating[index] and self._facts.contradicted_by(sentence)
        }
        points = {
            index: self.points(sentence)
            for index, sentence in enumerate(sentences)
            if not restating[index] and index not in false
        }
        points = {index: value for index, value in points.items() if not _stray(sentences, index, value)}
        totals = {
            index: min(value.total, math.inf if len(words[index]) >= SENTENCE else DOUBTFUL)
            for index, value in points.items()
        }
        doubtful = {index for index, total in totals.items() if total >= DOUBTFUL}
        own = {index for index in doubtful if not _asks(sentences[index]) and not self._echoes(sentences[index])}
        bound = {index for index in own if self._bound(points[index])}
        lengths = [len(own) for own in words]
        aside = set(range(len(sentences))) - doubtful - false
        near = together(lengths, bound, {index for index in aside if not continues(sentences, index)})
        totals = {index: total for index, total in totals.items() if index not in bound - near}
        firm = {index for index in own if points[index].firm and (ends is None or index in ends)}
        astray = loose(sentences, words, {index: index in near for index in doubtful - (bound - near)}, firm)
        held = {index: total for index, total in totals.items() if index not in astray}
        least = _least(held, lengths)
        kinds: dict[int, Kind] = {index: "tied" for index, total in held.items() if total >= least}
        kinds.update({index: "loose" for index in astray if totals[index] >= TIED})
        kinds.update(dict.fromkeys(false, "false"))
        return [kinds.get(index, "off_topic") for index in range(len(sentences))]

    def _bound(self, points: Points) -> bool:
        return points.named if self._by_name else points.firm

    def points(self, sentence: str) -> Points:
        """The points of a lower-case sentence."""
        named = vocabulary().mentions(sentence)
        rest = corpus.nameless(sentence, named)
        content = {corpus.stem(word) for word in words_of(rest) if word not in FUNCTION_WORDS}
        shown, general = content & self._shown, corpus.general_words()
        return Points(
            rare=min(sum(corpus.rarity(word) for word in shown - general if not corpus.NUMBER.search(word)), 3.0),
            general=min(len(shown & general), 4),
            key=min(sum(corpus.rarity(word) for word in (content & self._key) - general), 2.0),
            numbers=min(sum(corpus.NUMBER.search(word) is not None for word in shown), 5),
            components=min(sum(bool(mention.services & self._components) for mention in named), 3),
            foreign=min(sum(not mention.services & self._services for mention in named), 3),
            unknown=min(len(content - self._own), 8),
            definite=self._definite(sentence),
            pairs=sum(entry in self._pairs for entry in (*corpus.pairs_of(rest, apart=2), *words_of(rest))),
            textbook=_TEXTBOOK.search(sentence) is not None,
        )

    def _definite(self, sentence: str) -> int:
        places = (noun.start for noun in self._nouns.mentions(sentence))
        nouns = sum(_DEFINITE.search(sentence[max(0, place - NEAR) : place]) is not None for place in places)
        subject = _SUBJECT.match(sentence)
        return nouns + (subject is not None and any(corpus.stem(word) in self._subjects for word in subject.groups()))

    def _restates(self, words: Sequence[str]) -> bool:
        """Whether a sentence is a line of the task's text, or nearly all its words are runs of it."""
        if tuple(words) in self._lines:
            name = words[0] if words else ""
            return len(words) > 1 or not vocabulary().mentions(name)  # a name alone may be an answer's heading
        if len(words) < RESTATED_RUN:
            return False
        runs = [index for index in range(len(words) - RESTATED_RUN + 1) if self._is_run(words, index)]
        return len({index + step for index in runs for step in range(RESTATED_RUN)}) >= RESTATED * len(words)

    def _echoes(self, sentence: str) -> bool:
        """Whether nearly all content words of a sentence are neighbours in the task's text as well."""
        covered = total = 0
        for piece in _PIECE.split(sentence):
            words = _content(piece)
            near = [pair in self._told_pairs for pair in pairwise(words)]
            known = [one or two for one, two in zip([False, *near], [*near, False], strict=True)]
            total += len(words)
            covered += sum(known) if len(words) > 1 else sum(word in self._told for word in words)
        return covered >= RESTATED * total

    def _is_run(self, words: Sequence[str], index: int) -> bool:
        return tuple(words[index : index + RESTATED_RUN]) in self._runs


def _asks(sentence: str) -> bool:
    return sentence.endswith("?")


def _stray(sentences: Sequence[str], index: int, points: Points) -> bool:
    """Whether a sentence is off topic because not even a name binds it and it asks, or is strange to the task."""
    strange = points.unknown >= STRANGE and not continues(sentences, index)
    return not points.named and (strange or _asks(sentences[index]))


def _content(text: str) -> list[str]:
    """The content words of a text without their endings, in order."""
    return [corpus.stem(word) for word in words_of(text) if word not in FUNCTION_WORDS]


def _least(points: Mapping[int, float], lengths: Sequence[int]) -> float:
    """The points a sentence needs to be tied; `points` and `lengths`, in words, are those of an answer's sentences."""
    tied = sum(lengths[index] for index, value in points.items() if value >= TIED)
    doubtful = sum(lengths[index] for index, value in points.items() if DOUBTFUL <= value < TIED)
    return DOUBTFUL if doubtful <= PER_TIED * max(tied - SECURE, 0) else TIED


@cache
def sorter(item: DesignItem, *, by_name: bool = False) -> Sorter:
    """The sorter of a task; `by_name` binds sentences by the names of components as well."""
    return Sorter(item, by_name=by_name)
