"""Scores prose by facts, without a model (docs/scoring.md §1.8).

    score = max(0, (facts stated − wrong claims made) / number of facts)

A fact is stated as an element of an architecture is (`architecture_design.prose`, `elements`): one phrase of every
group of its signals occurs in one passage that is language. But here the prose alone decides, so a phrase counts for
nothing after a negation in its sentence (`NEGATED` words back), unless it contains one itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.bench.architecture_design.elements import occurrences
from steelyard.bench.architecture_design.prose import PASSAGE, Prose, read, words
from steelyard.bench.own.model import StatedFact, TextItem

NEGATED = 4
"""Words before a phrase in which a negation takes it back."""
_NEGATIONS = ("not", "no", "never", "neither", "nor", "without", "cannot")


@dataclass(frozen=True, slots=True)
class FactScore:
    """The score of one answer, fact by fact."""

    score: float
    facts: dict[str, bool]
    """Fact id → whether the answer states it."""
    wrong: dict[str, bool]
    """Id of a wrong claim → whether the answer makes it."""

    @property
    def missed(self) -> list[str]:
        """Facts that the answer does not state."""
        return [name for name, stated in self.facts.items() if not stated]

    @property
    def false(self) -> list[str]:
        """Wrong claims that the answer makes."""
        return [name for name, made in self.wrong.items() if made]


def fact_score(item: TextItem, answer: str, prompt: str = "") -> FactScore:
    """The score of an answer; `prompt` is what the subject saw."""
    prose = read(answer, f"{item.input}\n{prompt}")
    facts = {fact.id: _stated(fact, prose) for fact in item.facts}
    wrong = {fact.id: _stated(fact, prose) for fact in item.wrong}
    points = sum(facts.values()) - sum(wrong.values())
    return FactScore(max(0.0, points / len(facts)) if facts else 0.0, facts, wrong)


def _stated(fact: StatedFact, prose: Prose) -> bool:
    passages = (prose.sentences[start : start + PASSAGE] for start, language in enumerate(prose.language) if language)
    return any(all(_says(group, passage) for group in fact.signals) for passage in passages)


def _says(group: Iterable[str], passage: Iterable[str]) -> bool:
    """Whether one phrase of a group occurs in one sentence of a passage and is not taken back there."""
    return any(_holds(phrase, sentence) for phrase in group for sentence in passage)


def _holds(phrase: str, sentence: str) -> bool:
    # A phrase that contains a negation (`not encrypted`) is not taken back by one.
    own = any(map(_negates, words(phrase)))
    return any(own or not any(map(_negates, words(sentence[:at])[-NEGATED:])) for at in occurrences(phrase, sentence))


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")
