"""Which components the sentences of an answer speak of, word by word.

Law: a sentence speaks of the components it names; one that names none speaks of those of the sentence before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.bench.architecture_design.heuristic.reading import Reading


class Passages:
    """The sentences of one answer; `mentions` maps components to the indices of words that name them."""

    def __init__(self, reading: Reading, mentions: Mapping[str, Sequence[int]]) -> None:
        self._sentence = [number for number, (first, last) in enumerate(reading.sentences) for _ in range(last - first)]
        self._named = self._by_sentence(mentions)
        self._subjects = list(self._named)
        for number in range(1, len(self._subjects)):
            self._subjects[number] = self._named[number] or self._subjects[number - 1]

    def sentence(self, word: int) -> int:
        """The number of the sentence of a word."""
        return self._sentence[word]

    def speak_of(self, component: str, mention: int, hit: int) -> bool:
        """Whether a word belongs to what is said of a component that is mentioned near it."""
        spoken, named = self._sentence[hit], self._sentence[mention]
        leads_up = spoken == named - 1 and not self._named[spoken]
        return leads_up or component in self._subjects[spoken]

    def _by_sentence(self, mentions: Mapping[str, Sequence[int]]) -> list[frozenset[str]]:
        names: list[set[str]] = [set() for _ in range(self._sentence[-1] + 1 if self._sentence else 0)]
        for name, places in mentions.items():
            for place in places:
                names[self._sentence[place]].add(name)
        return [frozenset(found) for found in names]
