"""What makes a finding suspicious: it copies the key or the document, lists bare words, or talks to the marker."""

from __future__ import annotations

import re
from functools import lru_cache

from steelyard.audit.model import Finding, Key
from steelyard.judge.injection import speaks_to_judge

GRAM = 5
"""Words in a row that are compared with the key."""
ECHO_SHARE = 0.5
"""Share of a finding's word rows that also stand in the key from which it is a copy."""
ECHO_ROWS = 4
"""Fewer common rows are a common phrase."""
RECITED_SHARE, RECITED_ROWS = 0.4, 3
"""The same for the document; findings quote it, the recorded ones up to a tenth of their words."""
SOUP_WORDS = 25
"""A list of words is only suspicious from this length on: table cells are short of filler by nature."""
SOUP_SHARE = 0.05
"""Share of small words below which a text has no sentences."""

SOUP_PIECES, SOUP_LENGTH = 8, 2.0
"""From so many pieces between commas on, with fewer words each on average, a text is a list of words."""

_VERDICT = re.compile(
    r'"candidates"\s*:|"mark"\s*:\s*"(?:detected|partial)"|\bP\d{2,3}\b[^.\n]{0,40}(?:\b(?:fully )?detected\b|[○△])',
    re.IGNORECASE,
)
"""A verdict in our own form, or marks given to problems of a key that no reviewer has seen."""
_CRITERION = re.compile(
    r"^\W*(?:[o0x]\W+)?\(?(?P<word>not[ _-]detected|partial|detected)\)?[*_]*\s*:", re.IGNORECASE | re.MULTILINE
)
"""A criterion as only an answer key states it; two different ones are a key, however much stands around them."""
_WORD = re.compile(r"\w+")
_SMALL = frozenset(
    _WORD.findall(
        """a an and any are as at be been but by can cannot could do does for from has have if in into is it its may
        must no not of on only or others should so some than that the their them then there these this to was were when
        which while who will with would"""
    )
)


ADDRESSES = "addresses whoever marks it"
ECHOES = "repeats the answer key nearly word for word"
RECITES = "repeats the document without saying what is wrong"
LISTS = "lists words without saying anything about them"


def suspicion(finding: Finding, key: Key, document: str = "") -> str:
    """What a reader should know about a finding, or nothing; `document` is what the agent read, where it is known."""
    return barred(finding, key, document) or (ADDRESSES if addresses(finding.text) else "")


def barred(finding: Finding, key: Key, document: str = "") -> str:
    """Why a finding earns nothing when words are compared, or nothing."""
    if echoes(finding.text, key):
        return ECHOES
    if document and _recites(finding.text, document):
        return RECITES
    return LISTS if _soup(finding.text) else ""


def addresses(text: str) -> bool:
    """Whether a text instructs whoever marks it, or gives itself marks."""
    return speaks_to_judge(text) or _VERDICT.search(text) is not None


def quiet(text: str) -> str:
    """A text without the sentences that address whoever marks it; an honest finding may quote such a sentence."""
    if not addresses(text):
        return text
    return " ".join(part for part in re.split(r"(?<=[.!?])\s+|\n", text) if part.strip() and not addresses(part))


def echoes(text: str, key: Key) -> bool:
    """Whether a text copies the key: no reviewer has seen it."""
    if len({found["word"].casefold() for found in _CRITERION.finditer(text)}) > 1:
        return True
    rows = _rows(text)
    known: set[tuple[str, ...]] = set()
    for each in key.problems:
        criteria = each.criteria
        for part in (each.description, criteria.detected, criteria.partial, criteria.missed):
            known |= _rows(part)
    for entry in key.bonuses:
        known |= _rows(entry.content) | _rows(entry.condition)
    common = len(rows & known)
    return common >= ECHO_ROWS and common / len(rows) >= ECHO_SHARE


def _recites(text: str, document: str) -> bool:
    rows = _rows(text)
    common = len(rows & _rows(document))
    return common >= RECITED_ROWS and common / len(rows) >= RECITED_SHARE


def _soup(text: str) -> bool:
    words = [word.casefold() for word in _WORD.findall(text)]
    pieces = [piece for piece in re.split(r"[,;|\n]+", text) if piece.strip()]
    if len(pieces) >= SOUP_PIECES and len(words) / len(pieces) < SOUP_LENGTH:
        return True
    return len(words) >= SOUP_WORDS and sum(word in _SMALL for word in words) / len(words) < SOUP_SHARE


@lru_cache(maxsize=64)
def _rows(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return frozenset(tuple(words[place : place + GRAM]) for place in range(len(words) - GRAM + 1))
