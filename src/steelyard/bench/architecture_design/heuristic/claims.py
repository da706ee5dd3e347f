"""Statements that contradict the facts of a task: its text, its architecture, its key and its reference.

Law: two sentences make the *same claim* if they share most of their content words (`SAME` of all, or `WITHIN` of the
fact's), services, numbers, negators and opposites aside. The answer's sentence contradicts the fact if then
- one of them denies what the other affirms (another number of negators; `unencrypted` is one, like `not encrypted`),
- it replaces a number of the fact, or the unit of one,
- it replaces a service of the fact, or exchanges two, or
- it has the opposite of a word of the fact (`public` and `private`).
A sentence that agrees with one fact contradicts none. Two sentences of an answer that make the same claim in the same
words, one denying what the other affirms, contradict each other. An honest answer rarely comes so close to a fact in
its words that it is compared at all; one that does agrees with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.negation import DENIAL, negates
from steelyard.bench.architecture_design.heuristic.reading import sentences_of, words_of
from steelyard.bench.architecture_design.heuristic.services import vocabulary

SAME = 0.7
"""Share of the content words of two sentences that both have, if they make the same claim."""
WITHIN = 0.85
"""Share of a fact's content words that a longer sentence has, likewise."""
LEAST = 3
"""Content words a fact needs to be compared."""
_TIE = 0.1
"""Facts that are this much less similar than the most similar one count as equally similar."""

_SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()  # noqa: SIM905
_WRITTEN = {word: str(number) for number, word in enumerate(_SMALL, start=2)} | {
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "twice": "2",
    "half": "0.5", "double": "2",
}  # fmt: skip
_OPPOSITES = (
    "public private", "synchronous asynchronous", "synchronously asynchronously", "encrypted plain", "always never",
    "before after", "first last", "more less", "most least", "higher lower", "high low", "increase decrease",
    "increases decreases", "cheap expensive", "cheaper dearer", "fast slow", "faster slower", "open closed",
    "allow deny", "allows denies", "allowed forbidden", "enable disable", "enabled disabled", "single several",
    "one many", "all none", "large small", "larger smaller", "long short", "longer shorter", "strong weak",
    "stateful stateless", "hot cold", "safe unsafe", "right wrong", "possible impossible", "read write",
    "reads writes", "up down", "inside outside", "internal external", "temporary permanent", "on off", "push pull",
    "managed self-managed", "good bad", "better worse", "best worst", "early late", "same different", "with without",
    "can cannot", "everyone nobody", "anyone nobody", "everything nothing", "full empty", "keeps loses",
    "keep lose", "adds removes", "add remove", "start stop", "starts stops", "grows shrinks", "saves wastes",
    "necessary unnecessary", "urgent harmless", "durable volatile", "broad narrow", "idle busy", "direct indirect",
    "directly indirectly", "horizontal vertical", "vertically horizontally", "primary secondary", "source target",
    "sender receiver", "producer consumer", "input output", "incoming outgoing", "ingress egress", "minimum maximum",
)  # fmt: skip
OPPOSITES: Mapping[str, str] = {
    first: second for pair in _OPPOSITES for first, second in (pair.split(), pair.split()[::-1])
}
"""Word → its opposite."""
_DENIABLE = """
    attached authenticated authorised authorized available bounded cached changed compressed encrypted limited managed
    monitored necessary needed ordered patched protected reachable reliable restricted safe secure signed stable
    supported tested throttled used
"""
DENIABLE = frozenset(_DENIABLE.split())
"""Words that `un`, `in` or `non-` denies."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Claim:
    """What one sentence claims, in parts that can be compared."""

    stems: tuple[str, ...]
    """Content words, in order."""
    denials: int
    numbers: frozenset[tuple[str, str]]
    """Numbers with the first letters of the word after them."""
    services: tuple[frozenset[str], ...]
    """Services, in order; each as all it may mean."""
    polar: frozenset[str]
    """Words that have an opposite."""

    def similarity(self, fact: Claim) -> float:
        """How much of the content words both have, in [0, 1]; 0 for too short a fact."""
        mine, other = set(self.stems), set(fact.stems)
        if len(other) < LEAST:
            return 0.0
        common = len(mine & other)
        within = common / len(other) if len(other) > LEAST and len(mine) <= 2 * len(other) else 0.0
        return max(common / len(mine | other), within * SAME / WITHIN)

    def contradicts(self, fact: Claim) -> bool:
        """Whether a sentence that makes the same claim as a fact differs from it in something that matters."""
        return (
            self.denials != fact.denials
            or _replaced({value for value, _ in self.numbers}, {value for value, _ in fact.numbers})
            or self._other_unit(fact)
            or self._other_services(fact)
            or any(OPPOSITES[word] in fact.polar - self.polar for word in self.polar - fact.polar)
        )

    def _other_unit(self, fact: Claim) -> bool:
        units = {value: unit for value, unit in fact.numbers if unit}
        return any(
            unit and value in units and not _same_unit(unit, units[value])
            for value, unit in self.numbers - fact.numbers
        )

    def _other_services(self, fact: Claim) -> bool:
        mine, other = self.services, fact.services
        foreign = any(not any(service & known for known in other) for service in mine)
        lacking = any(not any(service & known for known in mine) for service in other)
        if foreign and lacking:
            return True
        moved = len(mine) == len(other) and any(not (one & two) for one, two in zip(mine, other, strict=True))
        return moved and not foreign and self.stems == fact.stems


class Facts:
    """The claims of some texts, ready to compare sentences with."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._sentences = [sentence for text in texts for sentence in sentences_of(text)]

    @cached_property
    def _claims(self) -> Sequence[Claim]:
        return [claim(sentence) for sentence in self._sentences]

    @cached_property
    def _holders(self) -> Mapping[str, set[int]]:
        holders: dict[str, set[int]] = {}
        for index, fact in enumerate(self._claims):
            for stem in fact.stems:
                holders.setdefault(stem, set()).add(index)
        return holders

    def contradicted_by(self, sentence: str) -> bool:
        """Whether a sentence makes the same claim as a fact, contradicts it, and agrees with no other."""
        stated = claim(sentence)
        near = {index for stem in set(stated.stems) for index in self._holders.get(stem, ())}
        similar = [(stated.similarity(self._claims[index]), index) for index in near]
        best = max(similar, default=(0.0, 0))[0]
        if best < SAME:
            return False
        compared = [self._claims[index] for value, index in similar if value >= max(best - _TIE, SAME)]
        return all(stated.contradicts(fact) for fact in compared)


def contradictory(sentences: Sequence[str]) -> set[int]:
    """The indices of sentences that make the same claim as another of them, one denying what the other affirms."""
    claims = [claim(sentence) for sentence in sentences]
    by_stems: dict[frozenset[str], list[int]] = {}
    for index, stated in enumerate(claims):
        if len(set(stated.stems)) >= LEAST:
            by_stems.setdefault(frozenset(stated.stems), []).append(index)
    groups = (group for group in by_stems.values() if len({claims[index].denials % 2 for index in group}) > 1)
    return {index for group in groups for index in group}


@lru_cache(maxsize=1024)  # each sentence is compared with the facts, and then with the other sentences
def claim(sentence: str) -> Claim:
    """The parts of a lower-case sentence."""
    mentions = vocabulary().mentions(sentence)
    rest = sentence
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    phrases = DENIAL.findall(rest)
    words = words_of(DENIAL.sub(" ", rest))
    denials = len(phrases) + sum(negates(word) or _negative(word) is not None for word in words)
    units = {after for word, after in pairwise(words) if _value(word)}
    content = [_negative(word) or word for word in words if word not in FUNCTION_WORDS and not negates(word)]
    stems = tuple(_stem(word) for word in content if not _value(word) and word not in OPPOSITES and word not in units)
    polar = frozenset(word for word in words if word in OPPOSITES)
    return Claim(stems, denials, _numbers(words), tuple(mention.services for mention in mentions), polar)


def _numbers(words: Sequence[str]) -> frozenset[tuple[str, str]]:
    pairs = pairwise([*words, ""])
    return frozenset((value, _stem(after)[:3]) for word, after in pairs if (value := _value(word)))


def _value(word: str) -> str:
    """The number a word is or begins with, without separators; empty if it is none."""
    if word in _WRITTEN:
        return _WRITTEN[word]
    return word.replace(",", "") if _NUMBER.match(word) else ""


def _negative(word: str) -> str | None:
    """The word that a word with a negative prefix denies."""
    for prefix in ("un", "in", "non-"):
        if word.startswith(prefix) and word.removeprefix(prefix) in DENIABLE:
            return word.removeprefix(prefix)
    return None


def _same_unit(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _replaced(mine: set[str], other: set[str]) -> bool:
    return bool(mine - other) and bool(other - mine)


def _stem(word: str) -> str:
    """A word by its first letters, so that inserted auxiliaries (`does not write`) change nothing."""
    for ending in ("ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
