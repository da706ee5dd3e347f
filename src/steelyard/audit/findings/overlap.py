"""Does a text say again what findings have said? Compared by the beginnings of words, and by pairs of characters where
a script has no spaces. Used to keep a summary from being read as findings of its own, and for the subject of a place.

The stems of `terms` are too short for that: `limits` and `limited`, `caching` and `cache` would be one word, and short
claims in a summary would seem to repeat findings on something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]{3,}|\d{2,}")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_COMMON = frozenset(
    """the and for with without that this these those from into are was were not has have can could may might will
    should all any but its which when where also there their than then them they been being such per via issue issues
    problem problems critical high medium low minor moderate significant severity priority recommendation implement add
    define specify missing lack lacks design system""".split()  # noqa: SIM905
)
"""Words that say nothing about which fault is meant."""
_STEM = 6
"""Letters of a word that count: `validation` and `validate` are one."""
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
    """What a text is about: the beginnings of its words, and pairs of characters of scripts without spaces."""
    spaced = (word.casefold() for word in _WORD.findall(_WIDE.sub(" ", text)))
    stems = {word[:_STEM] for word in spaced if word not in _COMMON}
    pairs = {run[start : start + 2] for run in _WIDE.findall(text) for start in range(len(run) - 1)}
    return stems | pairs
