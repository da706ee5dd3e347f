"""Phrases found in an answer, and how much a passage explains.

Law:
- A phrase of four letters or more is found at the start of a word (`authenticat` in `authenticates`); a shorter one is
  a word of its own, or its plural. Hyphen and space are one, and a hyphen may be missing.
- A *passage* is a window of words. It explains as far as it is language and not a list: counted are the different
  function words around it, because names and keywords alone have none and `and … and … and` has one. A long run
  without any (`RUN_ALLOWED`) is a list, and a passage of nothing but the key's words explains little (`CROWDED`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Sequence
from functools import cache

from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import Reading

REGION = 22
"""Words around a piece of evidence in which function words are counted."""
EXPLAINED = 3
"""Different function words in a region that make it language."""
CROWDED = 0.8
"""Share of the key's words among the content words of a region from which it counts less."""
CROWDED_FLOOR = 0.25
CROWD = 8
"""Content words that make a crowd; a short sentence may well consist of the key's words."""
RUN_ALLOWED, RUN_LOST = 8, 14
"""Words in a row without a function word: language up to the first, a list from the second."""
_SHORT = 3


@cache
def phrase(text: str) -> re.Pattern[str]:
    """The search for one phrase; that it begins a word is for the caller to see, a pattern is slow at it."""
    words = [r"[\s-]?".join(map(re.escape, word.split("-"))) for word in text.split()]
    body = r"[\s-]+".join(words).replace(r"[\s-]+%", r"[\s-]*%")
    after = r"s?(?!\w)" if len(text) <= _SHORT and text[-1:].isalnum() else ""
    return re.compile(body + after)


class Phrases:
    """Where phrases stand in one answer; each is searched for once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[str, tuple[range, ...]] = {}

    def spans(self, text: str) -> tuple[range, ...]:
        """The words each occurrence of one phrase covers."""
        if text not in self._found:
            at, whole = self._reading.at, self._reading.text
            self._found[text] = tuple(
                range(at(match.start()), at(match.end() - 1) + 1)
                for match in phrase(text).finditer(whole)
                if not (text[0].isalnum() and _inside(whole, match.start()))
            )
        return self._found[text]

    def hits(self, phrases: Iterable[str]) -> list[int]:
        """The indices of the words at which one of the phrases begins, sorted."""
        return sorted({span.start for each in phrases for span in self.spans(each)})

    def places(self, phrases: Iterable[str]) -> set[int]:
        """The indices of all words that are part of one of the phrases."""
        return {index for each in phrases for span in self.spans(each) for index in span}


def _inside(text: str, position: int) -> bool:
    """Whether a position is within a word."""
    return position > 0 and (text[position - 1].isalnum() or text[position - 1] == "_")


def nearby(positions: Sequence[int], first: int, last: int) -> int | None:
    """A position within [first, last] nearest to the middle of the window; None without one."""
    begin, end = bisect_left(positions, first), bisect_left(positions, last + 1)
    middle = (first + last) / 2
    return min(positions[begin:end], key=lambda each: abs(each - middle), default=None)


def explained(reading: Reading, first: int, last: int, key: Container[int] = ()) -> float:
    """How far the words from `first` to `last`, and those around them, are language: 0 for a list, 1 for a sentence.

    `key` holds the indices of words that the key or the vocabulary knows.
    """
    spare = max(REGION - (last - first + 1), 0)
    begin = max(first - spare // 2, 0)
    end = min(last + spare - spare // 2 + 1, len(reading.words))
    own = [index for index in range(begin, end) if not reading.blank[index]]
    different = {reading.words[index] for index in own if reading.words[index] in FUNCTION_WORDS}
    content = [index for index in own if reading.words[index] not in FUNCTION_WORDS]
    crowded = sum(index in key for index in content) / len(content) if len(content) >= CROWD else 0.0
    thinned = 1.0 - (1.0 - CROWDED_FLOOR) * max(crowded - CROWDED, 0.0) / (1.0 - CROWDED)
    return min(len(different) / EXPLAINED, 1.0) * thinned * _flowing(reading.words[begin:end])


def _flowing(words: Sequence[str]) -> float:
    longest = run = 0
    for word in words:
        run = 0 if word in FUNCTION_WORDS or word == "→" else run + 1
        longest = max(longest, run)
    return min(max((RUN_LOST - longest) / (RUN_LOST - RUN_ALLOWED), 0.0), 1.0)
