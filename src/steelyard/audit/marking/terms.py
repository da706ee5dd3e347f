"""Words as the lexical marker weighs them: identifiers split, endings cut, filler dropped, rare words weighted up."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_]*|\d+(?:\.\d+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ENDINGS = (
    *("isation", "ization", "ations", "ation", "ically", "ments", "ment", "ingly", "ings", "edly", "ness", "ing"),
    *("ied", "ies", "ers", "ely", "ed", "es", "er", "ly", "or", "al", "e", "s"),
)

_SHORTEST_STEM = 3
_FILLER = frozenset(
    re.findall(
        r"\w+",
        """a an and any are as at be because been before being but by can cannot could do does for from had has have how
        i if in into is it its may might must no nor not of on once one only or other our out over same shall should
        since so some such than that the their them then there these they this those through to too two under until up
        use used using very was we were what when where which while who whoever why will with within without would you
        your also although says say said names name mention mentions general nothing word detected partial section
        problem issue finding severity critical high medium low minor title location detail fix category id""",
    )
)
UNSEEN_WEIGHT = 1.0
"""The weight of a word that no problem in the key uses."""


def stem(word: str) -> str:
    """A word without its most common ending."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            cut = word[: -len(ending)]
            return cut[:-1] if len(cut) > _SHORTEST_STEM and cut[-1] == cut[-2] else cut
    return word


def terms(text: str) -> frozenset[str]:
    """The stemmed content words of a text; identifiers count as a whole and by their parts."""
    stems: set[str] = set()
    for token in _TOKEN.findall(text):
        parts = [part for piece in token.split("_") for part in _CAMEL.split(piece) if part]
        if len(parts) > 1:
            stems.add(token.casefold())
        for part in parts:
            plain = part.casefold()
            if plain not in _FILLER and (len(plain) > 1 or plain.isdigit()):
                stems.add(stem(plain))
    return frozenset(stems)


def rarity(texts: Sequence[frozenset[str]]) -> dict[str, float]:
    """How well each word tells the texts apart: ln(1 + n / df), so a word in every text weighs 0.69."""
    counts: dict[str, int] = {}
    for words in texts:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    return {word: math.log1p(len(texts) / count) for word, count in counts.items()}


def weight(words: frozenset[str], weights: Mapping[str, float]) -> float:
    """The summed weight of a set of words."""
    return math.fsum(weights.get(word, UNSEEN_WEIGHT) for word in words)
