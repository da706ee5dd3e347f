"""Whether an answer asserts what it mentions, and whether its numbers are those of the task; without a model.

Law:
- A *clause* is a sentence, cut at words that begin another thought (`because`, `but`, `so`, `which`, …). It is *denied*
  if it holds an odd number of negated verbs (`not`, `never`, `…n't`) near the word in question. A phrase that denies
  what follows (`it is false that`, `contrary to`) denies its whole sentence; so does, for a remedy, a phrase that calls
  it done or needless (`already`, `no need`). Honest answers write `no` and `without` about what is missing, so these
  deny no finding.
- `assertion` is 1 for an answer that mostly asserts, and falls to `ASSERTION_FLOOR` as negated verbs and denying
  phrases become far more frequent than in honest answers, by their number and by the share of sentences that have one.
- A number is *supported* if the task, its architecture, the key or the reference has it with the same unit, or with the
  same word before it; one that occurs there with another unit counts half. `figures` falls with the share of
  unsupported numbers, from 1 at `UNSUPPORTED_ALLOWED` to `FIGURES_FLOOR` at `UNSUPPORTED_LOST`.
- `consistency` falls from 1 to `CONSISTENCY_FLOOR` with the share of sentences that contradict a fact (`claims`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from steelyard.bench.architecture_design.heuristic.negation import DENIAL, NEEDLESS, negates_verb
from steelyard.bench.architecture_design.heuristic.reading import Reading

RATE_ALLOWED, RATE_LOST = 4.0, 7.0
"""Negated verbs and denying phrases per 100 words: free, and from where nothing is asserted."""
SHARE_ALLOWED, SHARE_LOST = 0.4, 0.7
"""Share of sentences that have one, likewise."""
SPARE = 30
"""Words that are added to an answer's, so that a few negators in a short answer say little."""
ASSERTION_FLOOR = 0.1
UNSUPPORTED_ALLOWED, UNSUPPORTED_LOST = 0.45, 0.8
FIGURES_FLOOR = 0.35
PRIOR = 3
"""Supported numbers that are added, so that one or two unsupported ones say little."""
CONTRADICTED_ALLOWED, CONTRADICTED_LOST = 0.05, 0.4
CONSISTENCY_FLOOR = 0.1
BEFORE, AFTER = 6, 4
"""Words before and after a signal within which a negator denies it."""
_SHORT = 4
"""Words below which a line is a heading, not a sentence."""

_BREAKS = frozenset(
    "because but so while whereas although though which since unless instead rather if when otherwise until".split()  # noqa: SIM905
)
_NUMBER = re.compile(r"(?:(?<![\w.])([a-z]+)[\s$€~≈<>=]+)?(?<![\w.])(\d+(?:[.,]\d+)*)(?:\s*[-–]?\s*([a-z]+|%))?")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text, with the words around it."""

    value: str
    before: str
    after: str

    def supported(self, facts: frozenset[str]) -> float:
        """1, ½ or 0, by whether the facts have it."""
        if facts & {f"{self.before} {self.value}", f"{self.value} {self.after}"} - {f" {self.value}", f"{self.value} "}:
            return 1.0
        return 0.5 if self.value in facts else 0.0


class Polarity:
    """What an answer denies, word by word."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def denies(self, places: Collection[int], *, remedy: bool) -> bool:
        """Whether most of the words are denied or, for a remedy, called done or needless."""
        values = self.of(places, remedy=remedy)
        return 2 * sum(values) > len(values)

    def of(self, places: Iterable[int], *, remedy: bool) -> list[bool]:
        """Per word: whether its clause is denied, or, for a remedy, called done or needless."""
        return [self._denies(place) != (remedy and self._needless[place]) for place in sorted(places)]

    def _denies(self, place: int) -> bool:
        """Whether the clause of a word is denied, by a negator near the word or by a phrase for the whole sentence."""
        if not self._denied[place]:
            return False
        near = range(max(place - BEFORE, 0), min(place + AFTER + 1, len(self._reading.words)))
        return any(negates_verb(self._reading.words[index]) for index in near) or self._whole[place]

    @property
    def assertion(self) -> float:
        """1 for an answer that mostly asserts, down to `ASSERTION_FLOOR`."""
        words = self._reading.words
        sentences = [(first, last) for first, last in self._reading.sentences if last - first >= _SHORT]
        if not sentences:
            return 1.0
        places = {index for index, word in enumerate(words) if negates_verb(word)} | self._denials
        rate = 100 * len(places) / (len(words) + SPARE)
        share = sum(any(first <= place < last for place in places) for first, last in sentences) / len(sentences)
        excess = min(_excess(rate, RATE_ALLOWED, RATE_LOST), _excess(share, SHARE_ALLOWED, SHARE_LOST))
        return 1.0 - (1.0 - ASSERTION_FLOOR) * excess

    @cached_property
    def _denials(self) -> set[int]:
        """Indices of the first words of phrases that deny their sentence."""
        return {self._reading.at(match.start()) for match in DENIAL.finditer(self._reading.text)}

    @cached_property
    def _denied(self) -> list[bool]:
        words = self._reading.words
        inside = {index for match in DENIAL.finditer(self._reading.text) for index in self._span(match)}
        denied = [False] * len(words)
        for first, last in self._reading.sentences:
            whole = self._whole[first] if first < last else False
            for begin, end in self._clauses(first, last):
                odd = sum(negates_verb(words[index]) and index not in inside for index in range(begin, end)) % 2 == 1
                denied[begin:end] = [odd != whole] * (end - begin)
        return denied

    @cached_property
    def _whole(self) -> list[bool]:
        """Per word: whether a phrase denies its whole sentence."""
        whole = [False] * len(self._reading.words)
        for first, last in self._reading.sentences:
            if any(first <= place < last for place in self._denials):
                whole[first:last] = [True] * (last - first)
        return whole

    @cached_property
    def _needless(self) -> list[bool]:
        needless = [False] * len(self._reading.words)
        places = [self._reading.at(match.start()) for match in NEEDLESS.finditer(self._reading.text)]
        for first, last in self._reading.sentences:
            if any(first <= place < last for place in places):
                needless[first:last] = [True] * (last - first)
        return needless

    def _span(self, match: re.Match[str]) -> range:
        at = self._reading.at
        return range(at(match.start()), at(match.end() - 1) + 1)

    def _clauses(self, first: int, last: int) -> Iterable[tuple[int, int]]:
        begin = first
        for index in range(first + 1, last):
            if self._reading.words[index] in _BREAKS:
                yield begin, index
                begin = index
        yield begin, last


def numbers(text: str) -> list[Number]:
    """The numbers of a lower-case text, in order."""
    return [
        Number(value.replace(",", ""), _unit(before), _unit(after)) for before, value, after in _NUMBER.findall(text)
    ]


def facts(texts: Sequence[str]) -> frozenset[str]:
    """The numbers of these texts: alone, with their unit, and with the word before them."""
    found = numbers("\n".join(texts).lower())
    return frozenset(
        entry
        for number in found
        for entry in (number.value, f"{number.before} {number.value}", f"{number.value} {number.after}")
    )


def figures(text: str, known: frozenset[str]) -> float:
    """1 to `FIGURES_FLOOR`, by the share of the numbers in a lower-case text that nothing supports."""
    stated = numbers(text)
    unsupported = sum(1.0 - number.supported(known) for number in stated) / (len(stated) + PRIOR)
    return 1.0 - (1.0 - FIGURES_FLOOR) * _excess(unsupported, UNSUPPORTED_ALLOWED, UNSUPPORTED_LOST)


def consistency(reading: Reading) -> float:
    """1 to `CONSISTENCY_FLOOR`, by the share of sentences that contradict a fact."""
    sentences = [
        kind for (first, last), kind in zip(reading.sentences, reading.kinds, strict=True) if last - first >= _SHORT
    ]
    share = sum(kind == "false" for kind in sentences) / len(sentences) if sentences else 0.0
    return 1.0 - (1.0 - CONSISTENCY_FLOOR) * _excess(share, CONTRADICTED_ALLOWED, CONTRADICTED_LOST)


def _excess(value: float, allowed: float, lost: float) -> float:
    return min(max((value - allowed) / (lost - allowed), 0.0), 1.0)


def _unit(word: str) -> str:
    """A unit or noun by its first letters, so that `seconds` and `second` are one."""
    return word[:3]
