"""Whether words stand in an order at all.

In English, `the of` or `a is` hardly occur, and in shuffled text they do. In scripts without spaces, where shuffling
moves whole clauses, brackets close before they open.
"""

from __future__ import annotations

import itertools
import re

from steelyard.audit.marking.flags import CODE

FINDING = (2, 0.10)
"""Impossible pairs, and their share among the small words that could have one, from which on a finding is shuffled."""
RUN = (4, 0.03)
"""The same for all findings of a run together; in honest runs the share is below 1%, in shuffled ones above 5%."""

BRACKETS = (3, 0.05)
"""The same for the brackets of a run in a script without spaces."""

_BRACKET = re.compile(r"(?<!\S)[0-9A-Za-z]{1,3}[)）]|[(（「『【\[]|[)）」』】\]]")
_PAIRS = {"(": ")", "（": "）", "「": "」", "『": "』", "【": "】", "[": "]"}
_TOKEN = re.compile(r"[A-Za-z']+|[.,;:!?|()\n`\"/]")
_FINITE = frozenset(["is", "are", "was", "were", "has", "have", "had", "be", "been", "does", "do"])
_MODAL = frozenset(["can", "could", "will", "would", "should", "may", "might", "must", "cannot"])
_PREPOSITION = frozenset(["of", "in", "on", "at", "by", "for", "from", "with", "to", "into", "without", "than"])
_ARTICLE = frozenset(["a", "an", "the", "its", "their", "our", "your", "every"])
_JOINING = frozenset(["and", "or", "but", "if", "because", "that", "which", "not", "it", "they", "this"])
_IMPOSSIBLE = {
    **dict.fromkeys(_ARTICLE, _FINITE | _MODAL | _PREPOSITION | _ARTICLE | _JOINING),
    **dict.fromkeys(
        _PREPOSITION - {"to", "than"},
        _FINITE | _MODAL | (_PREPOSITION - {"to", "in", "on"}) | {"and", "or", "but", "if"},
    ),
    "to": _MODAL | _PREPOSITION | {"is", "are", "was", "were", "has", "had", "and", "or", "but", "if", "been"},
    **dict.fromkeys(_MODAL, _PREPOSITION | _MODAL | {"is", "are", "was", "were", "has", "had", "and", "or", "been"}),
}


def disorder(text: str) -> tuple[int, int]:
    """(impossible pairs, small words that could have had one) in the English of a text."""
    # A mark stands for the code, so that the words around it do not become neighbours.
    tokens = [token.casefold() for token in _TOKEN.findall(CODE.sub(" ` ", text))]
    impossible = chances = 0
    for word, follower in itertools.pairwise(tokens):
        if word in _IMPOSSIBLE:
            chances += 1
            impossible += follower in _IMPOSSIBLE[word]
    return impossible, chances


def disordered_brackets(text: str) -> tuple[int, int]:
    """(brackets that close before they open, all brackets) of a text; `1)` is a number."""
    opened: dict[str, int] = {}
    wrong = total = 0
    for bracket in _BRACKET.findall(text):
        if bracket in _PAIRS:
            total += 1
            opened[_PAIRS[bracket]] = opened.get(_PAIRS[bracket], 0) + 1
        elif len(bracket) == 1:
            wrong += opened.get(bracket, 0) < 1
            opened[bracket] = opened.get(bracket, 0) - 1 if opened.get(bracket, 0) > 0 else 0
    return wrong, total


def shuffled(impossible: int, chances: int, limits: tuple[int, float] = FINDING) -> bool:
    """Whether so many impossible pairs can only come from shuffling."""
    return impossible >= limits[0] and impossible >= limits[1] * chances
