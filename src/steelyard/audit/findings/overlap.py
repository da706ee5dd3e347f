"""Does a text say again what findings have said? Only used to keep a summary from being read as findings of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from steelyard.audit.terms import is_general, terms

_STEM = 6
"""Letters of a word that count: `deserialization` and `deserialize` are one."""
_REPEATED = 0.6
"""Share of a text's words that one finding must hold."""
_COVERED = 0.7
"""Share that all findings together must hold."""
_MOST = 2_000
"""Findings and texts that are compared; a report with more is read without comparing the rest."""


class Vocabulary:
    """The words of findings."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._places: dict[str, set[int]] = {}
        self._asked = 0
        for place, text in enumerate(texts[:_MOST]):
            for word in words(text):
                self._places.setdefault(word, set()).add(place)

    def repeated(self, text: str) -> int | None:
        """The place of the finding that says what `text` says; None if there is none."""
        asked = words(text)
        self._asked += 1
        if not asked or self._asked > _MOST:
            return None
        hits = Counter(place for word in asked for place in self._places.get(word, ()))
        best = max(hits.items(), key=lambda hit: (hit[1], -hit[0]), default=None)
        return best[0] if best and best[1] >= _REPEATED * len(asked) else None

    def covers(self, text: str) -> bool:
        """Whether the findings together hold most of its words."""
        asked = words(text)
        return sum(word in self._places for word in asked) >= _COVERED * len(asked)


def words(text: str) -> set[str]:
    """What a text is about: the beginnings of its words, without the words that any finding may use."""
    return {term[:_STEM] for term in terms(text) if not is_general(term)}
