"""Claims about what an architecture has and which of its components is at fault.

Law:
- A sentence is false if it speaks of a service as present that neither the task nor its key nor its reference names:
  `the existing X`, `your X`, `X is already deployed`, or, about a given architecture, `the X is …` where the answer
  names X for the first time. What is recommended, conditional or said to be missing is not called present.
- A finding is misplaced if a sentence has all its signals besides names, and names components, but none of those that
  the facts say it of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from steelyard.bench.architecture_design.heuristic.negation import negates
from steelyard.bench.architecture_design.heuristic.reading import sentences_of, words_of
from steelyard.bench.architecture_design.heuristic.services import Mention, meaning, nouns, vocabulary
from steelyard.bench.architecture_design.heuristic.signals import found
from steelyard.bench.architecture_design.model import DesignItem, Group

NEAR = 80
"""Characters before a name in which a word may belong to it."""
LEAST = 2
"""Groups of signals besides names that a finding needs to be recognized without its component."""
_NOUN = r"\s+(?:[\w-]+\s+){0,2}?"
_HELD = re.compile(
    r"(?<!no )\b(?:(?:existing|current|present|currently|already)\s+(?:[\w-]+\s+){0,2}"
    r"|(?:your|our)\s+(?:(?:own|main|production)\s+)?)$"
)
"""Before a name: calls it present."""
_IN_PLACE = re.compile(_NOUN + r"(?:is|are)\s+(?:already|currently|configured|deployed|provisioned|set up|in place)\b")
_STATED = re.compile(
    _NOUN + r"(?:is|are|has|have|runs?|stores?|uses?|reads?|writes?|sends?|lacks?|sits?|holds?|keeps?)\b"
)
"""After a name: calls it present, and states something of it."""
_ARTICLE = re.compile(r"\bthe\s+$")
_OPEN = re.compile(
    r"\b(?:should|would|could|can|may|might|must|once|after|when|if|until|unless|add|use|introduce|migrate|replace|move"
    r"|consider|instead|better|recommend\w*|suggest\w*|need\w*|alternative\w*|then)\b"
)
"""Marks what is recommended or conditional."""


class Presence:
    """What the architecture of one task has, and which components its findings are about."""

    def __init__(self, item: DesignItem, facts: Sequence[str]) -> None:
        """`facts` are the texts known to be true."""
        self._item, self._facts = item, facts
        self._meanings = {component.name: meaning(component.name) for component in item.expected.components}
        self._nouns = nouns(self._meanings.values())
        named = [mention.services for mention in vocabulary().mentions("\n".join(facts).lower())]
        names = map(meaning, item.metadata.aws_services)
        self._known = frozenset[str]().union(*named, *names, *self._meanings.values())

    def denied_by(self, sentences: Sequence[str]) -> set[int]:
        """The indices of the false sentences among those of an answer, which are in lower case."""
        seen: set[str] = set()
        false: set[int] = set()
        for index, sentence in enumerate(sentences):
            foreign = [one for one in vocabulary().mentions(sentence) if not one.services & self._known]
            if not foreign:
                continue
            if any(_HELD.search(sentence[max(0, one.start - NEAR) : one.start]) for one in foreign) or (
                not any(map(negates, words_of(sentence))) and self._stated(sentence, foreign, seen)
            ):
                false.add(index)
            seen.update(service for mention in foreign for service in mention.services)
        return false

    def _stated(self, sentence: str, foreign: Sequence[Mention], seen: set[str]) -> bool:
        """Whether a service is said to be there before anything is recommended; `seen` has those named earlier."""
        opened = _OPEN.search(sentence)
        end = len(sentence) if opened is None else opened.start()
        for mention in foreign:
            if mention.start >= end:
                break
            if _IN_PLACE.match(sentence, mention.end):
                return True
            new = self._item.metadata.diagram is not None and not mention.services & seen
            article = _ARTICLE.search(sentence[max(0, mention.start - NEAR) : mention.start])
            if new and article and _STATED.match(sentence, mention.end):
                return True
        return False

    def misplaced(self, finding: str, sentence: str) -> bool:
        """Whether a lower-case sentence says what a finding says, of other components."""
        groups, components = self._findings.get(finding, ((), frozenset[str]()))
        if not components or not all(_has(group, sentence) for group in groups):
            return False
        named = self._components(sentence)
        return bool(named) and not named & components

    @cached_property
    def _findings(self) -> Mapping[str, tuple[Sequence[Group], frozenset[str]]]:
        """Per finding about known components: its groups of signals besides names, and those components."""
        if self._item.metadata.diagram is None:
            return {}
        sentences = [sentence for text in self._facts for sentence in sentences_of(text)]
        faults: dict[str, tuple[Sequence[Group], frozenset[str]]] = {}
        for finding in self._item.expected.findings:
            groups = [group for group in finding.signals if not any(self._components(phrase) for phrase in group)]
            about = (one for one in sentences if all(_has(group, one) for group in groups))
            components = self._components(finding.statement.lower()).union(*map(self._components, about))
            if len(groups) >= LEAST and components:
                faults[finding.id] = (groups, components)
        return faults

    def _components(self, text: str) -> frozenset[str]:
        """The components that a text names or refers to by a noun."""
        mentions = (*vocabulary().mentions(text), *self._nouns.mentions(text))
        return frozenset(_matching(self._meanings, (mention.services for mention in mentions)))


def _matching(meanings: Mapping[str, frozenset[str]], found: Iterable[frozenset[str]]) -> Iterable[str]:
    services = frozenset[str]().union(*found)
    return (name for name, known in meanings.items() if known & services)


def _has(group: Group, sentence: str) -> bool:
    return any(True for phrase in group for _ in found(phrase, sentence))
