"""Scores prose by facts, without a model (docs/scoring.md §1.8).

    score = max(0, (facts stated − wrong claims made) / number of facts)

A fact is stated if one phrase of every group of its signals occurs in one passage, which is two sentences in a row:

- A phrase of four letters or more may begin a longer word; a shorter one is a whole word.
- A phrase counts for nothing after a negation in its sentence (`NEGATED` words back), unless it contains one itself.
- A passage must be language (`architecture_design.prose`): a list of keywords states nothing.
- Words copied from the prompt, `COPIED` or more in a row, are not read; neither is what a reader does not see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from steelyard.bench.architecture_design.prose import is_language
from steelyard.bench.own.model import StatedFact, TextItem
from steelyard.text import STRAIGHT, normalised, without_comments

NEGATED = 4
"""Words before a phrase in which a negation takes it back."""
COPIED = 6
"""Words in a row that make a quotation of the prompt."""
LIMIT = 60_000
"""Characters of an answer that are read."""

_WORD = re.compile(r"\w+(?:[-'./]\w+)*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_NEGATIONS = ("not", "no", "never", "neither", "nor", "without", "cannot")
_WHOLE = 3
"""Letters up to which a phrase matches whole words only."""


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
    passages = _passages(answer, f"{item.input}\n{prompt}")
    facts = {fact.id: _stated(fact, passages) for fact in item.facts}
    wrong = {fact.id: _stated(fact, passages) for fact in item.wrong}
    points = sum(facts.values()) - sum(wrong.values())
    return FactScore(max(0.0, points / len(facts)) if facts else 0.0, facts, wrong)


def _stated(fact: StatedFact, passages: Sequence[Sequence[Sequence[str]]]) -> bool:
    return any(all(_occurs(group, passage) for group in fact.signals) for passage in passages)


def _occurs(group: Iterable[str], passage: Sequence[Sequence[str]]) -> bool:
    """Whether one phrase of a group occurs in one sentence of a passage and is not taken back there."""
    return any(_holds(_words(phrase), sentence) for phrase in group for sentence in passage)


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _holds(phrase: Sequence[str], sentence: Sequence[str]) -> bool:
    own = any(map(_negates, phrase))
    for start in range(len(sentence) - len(phrase) + 1):
        if all(_matches(want, sentence[start + place]) for place, want in enumerate(phrase)):
            before = sentence[max(0, start - NEGATED) : start]
            # A phrase that contains a negation (`not encrypted`) is not taken back by it.
            if own or not any(map(_negates, before)):
                return True
    return False


def _matches(want: str, word: str) -> bool:
    return word.startswith(want) if len(want) > _WHOLE else word in (want, f"{want}s")


def _passages(answer: str, prompt: str) -> list[list[list[str]]]:
    """Two sentences in a row, as words, wherever they are language."""
    visible = normalised(without_comments(answer[:LIMIT]), LIMIT).text.translate(STRAIGHT)
    runs = set(_runs(_words(prompt.lower())))
    shown = _SENTENCE.split(visible)
    sentences = [_original(_words(sentence.lower()), runs) for sentence in shown]
    # An answer of a single sentence is a passage of its own.
    pairs = zip(list(pairwise(shown)) or [shown], list(pairwise(sentences)) or [sentences], strict=True)
    return [list(words) for texts, words in pairs if is_language(texts)]


def _words(text: str) -> list[str]:
    """The words of a text; a hyphen separates like a blank."""
    return [part for word in _WORD.findall(text) for part in word.split("-") if part]


def _runs(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return (tuple(words[start : start + COPIED]) for start in range(len(words) - COPIED + 1))


def _original(words: list[str], runs: set[tuple[str, ...]]) -> list[str]:
    """The words with those copied from the prompt emptied, so that the others keep their distance."""
    copied = {start + place for start, run in enumerate(_runs(words)) if run in runs for place in range(COPIED)}
    return ["" if place in copied else word for place, word in enumerate(words)]
