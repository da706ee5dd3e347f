"""Finds phrases in an answer and measures how far a passage explains.

Law:
- A phrase of four characters or more matches at the start of a word (`authenticat` in `authenticates`); a shorter one
  matches only a whole word or its plural. Hyphens and spaces are equivalent, and a hyphen may be missing.
- A *passage* is a window of words. It explains to the extent that it is language and not a list, measured by the
  distinct function words in and around it: names and keywords alone have none, and `and … and … and` has one. A long
  run without any (`RUN_ALLOWED`) is a list, and a passage made only of the key's words explains little (`CROWDED`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache

from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import Reading

REGION = 22
"""Words around a piece of evidence in which function words are counted."""
EXPLAINED = 3
"""Distinct function words in a region for full credit."""
CROWDED = 0.8
"""Share of a region's content words that may be words of the key before the region counts less."""
CROWDED_FLOOR = 0.25
"""Factor of a region whose content words are all words of the key."""
CROWD = 8
"""Content words a region needs for this rule; a short sentence may legitimately consist of the key's words."""
RUN_ALLOWED, RUN_LOST = 8, 14
"""Words in a row without a function word: full credit up to the first value, none from the second."""
_SHORT = 3
"""Characters up to which a phrase matches only whole words."""


@cache
def phrase(text: str) -> re.Pattern[str]:
    """Matches one phrase; callers check that it begins a word, which is faster outside the pattern."""
    words = [r"[\s-]?".join(map(re.escape, word.split("-"))) for word in text.split()]
    body = r"[\s-]+".join(words).replace(r"[\s-]+%", r"[\s-]*%")
    after = r"s?(?!\w)" if len(text) <= _SHORT and text[-1:].isalnum() else ""
    return re.compile(body + after)


class Phrases:
    """Locates phrases in one answer, searching for each only once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._spans: dict[str, tuple[range, ...]] = {}

    def spans(self, text: str) -> tuple[range, ...]:
        """The indices of the words that each occurrence of a phrase covers."""
        if text not in self._spans:
            at, whole = self._reading.at, self._reading.text
            matches = found(text, whole)
            self._spans[text] = tuple(range(at(match.start()), at(match.end() - 1) + 1) for match in matches)
        return self._spans[text]

    def hits(self, phrases: Iterable[str]) -> list[int]:
        """The indices of the words at which one of the phrases begins, sorted."""
        return sorted({span.start for text in phrases for span in self.spans(text)})

    def places(self, phrases: Iterable[str]) -> set[int]:
        """The indices of all words that are part of one of the phrases."""
        return {index for text in phrases for span in self.spans(text) for index in span}


def found(text: str, whole: str) -> Iterator[re.Match[str]]:
    """The occurrences of a phrase in a lower-case text."""
    matches = phrase(text).finditer(whole)
    return (match for match in matches if not (text[0].isalnum() and _inside(whole, match.start())))


def _inside(text: str, position: int) -> bool:
    """Whether a position is within a word."""
    return position > 0 and (text[position - 1].isalnum() or text[position - 1] == "_")


def explained(reading: Reading, first: int, last: int, key: Container[int] = ()) -> float:
    """How far the words from `first` to `last`, and those around them, are language: 0 for a list, 1 for a sentence.

    `key` holds the indices of words that occur in the key or in the vocabulary of services.
    """
    spare = max(REGION - (last - first + 1), 0)
    begin = max(first - spare // 2, 0)
    end = min(last + spare - spare // 2 + 1, len(reading.words))
    own = [index for index in range(begin, end) if not reading.blank[index]]
    function_words = {reading.words[index] for index in own if reading.words[index] in FUNCTION_WORDS}
    content = [index for index in own if reading.words[index] not in FUNCTION_WORDS]
    crowded = sum(index in key for index in content) / len(content) if len(content) >= CROWD else 0.0
    crowd_factor = 1.0 - (1.0 - CROWDED_FLOOR) * max(crowded - CROWDED, 0.0) / (1.0 - CROWDED)
    return min(len(function_words) / EXPLAINED, 1.0) * crowd_factor * _run_factor(reading.words[begin:end])


def _run_factor(words: Sequence[str]) -> float:
    """1 if the words have no long run without a function word, falling to 0 from `RUN_LOST`."""
    longest = run = 0
    for word in words:
        run = 0 if word in FUNCTION_WORDS or word == "→" else run + 1
        longest = max(longest, run)
    return min(max((RUN_LOST - longest) / (RUN_LOST - RUN_ALLOWED), 0.0), 1.0)
