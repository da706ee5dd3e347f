"""What a finding copies: passages of the document or of the key, found as letters or words in a row.

Only letters and digits are compared, so that punctuation, spaces and layout do not matter. Words in a row also find
copies that a word here and there has broken up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from steelyard.audit.marking.claims import sentences
from steelyard.audit.model import Key
from steelyard.audit.terms import is_spaceless

_Length: TypeAlias = tuple[int, int]
"""Letters in a row; the second number is for scripts without spaces."""

DOCUMENT_ROW: _Length = (28, 20)
"""A passage this long is copied from the document."""
KEY_ROW: _Length = (48, 32)
"""The same for the key: reviewers who never saw it share phrases with it, but not whole clauses."""
SHORT_ROW: _Length = (20, 12)
"""Rows that count towards the share of a finding that is copied."""
COPIED_SHARE = 0.5
"""Share of a finding's letters, in such rows, from which on the finding is a copy."""
KEY_PHRASE: _Length = (40, 24)
"""Fewer letters in common with the key are the name of a thing: whoever finds the problem has to use it."""
WHOLE_SHARE = 0.9
"""Share from which on even a short finding is a copy of the key."""
SHORT_LINE: _Length = (16, 10)
SHORT_SENTENCE: _Length = (20, 12)
"""A line, or a sentence or cell, of the document this long is a copy wherever it occurs."""

GRAM = 5
"""Words in a row that are compared."""
ECHO_SHARE, ECHO_ROWS = 0.5, 4
"""Share of a finding's word rows found in the key from which on it is a copy; fewer rows are a common phrase."""
RECITED_SHARE, RECITED_ROWS = 0.4, 3
"""The same for the document; findings quote it, the recorded ones up to a tenth of their words."""

_WORD = re.compile(r"\w+")
_CRITERION = re.compile(
    r"^\W*(?:[o0x]\W+)?\(?(?P<word>not[ _-]detected|partial|detected)\)?[*_]*\s*:", re.IGNORECASE | re.MULTILINE
)
"""A criterion as only an answer key states it; two different ones are a copied key, whatever surrounds them."""
_FIRST_SPACELESS = "\u3040"
"""Letters from here on belong to scripts without spaces; exceptions do not matter for copies."""
_LIST_MARK = re.compile(r"^\W*(?:\d{1,3}[.)]\s+)?")


def copies_of(text: str, key: Key, document: str = "") -> str:
    """What a finding mainly copies: `key`, `document` or nothing."""
    letters = _letters(text)
    if not letters:
        return ""
    if letters in _key_letters(key) or _echoes(text, key):
        return "key"
    least = max(len(letters) * COPIED_SHARE, min(KEY_PHRASE[is_spaceless(text)], len(letters) * WHOLE_SHARE))
    if len(_copied(letters, _key_rows(key, SHORT_ROW), SHORT_ROW)) >= least:
        return "key"
    if not document:
        return ""
    recited = len(_copied(letters, _rows(document, SHORT_ROW), SHORT_ROW)) >= len(letters) * COPIED_SHARE
    return "document" if recited or _shares(text, _word_rows(document), RECITED_ROWS, RECITED_SHARE) else ""


def _echoes(text: str, key: Key) -> bool:
    # Labels of its own can dilute what a copy shares with the key, but no reviewer states criteria.
    if len({found["word"].casefold() for found in _CRITERION.finditer(text)}) > 1:
        return True
    return _shares(text, _key_word_rows(key), ECHO_ROWS, ECHO_SHARE)


def _shares(text: str, known: frozenset[tuple[str, ...]], least: int, share: float) -> bool:
    rows = _word_rows(text)
    common = len(rows & known)
    return common >= least and common / len(rows) >= share


def without_copies(text: str, key: Key, document: str = "") -> str:
    """A text without the passages that stand in the document or in the key's descriptions and criteria."""
    letters = _letters(text)
    copied = _copied(letters, _key_rows(key, KEY_ROW), KEY_ROW)
    if document:
        copied |= _copied(letters, _rows(document, DOCUMENT_ROW), DOCUMENT_ROW) | _phrases_in(letters, document)
    places = [place for place, letter in enumerate(text) if letter.isalnum()]
    # With the marks between the letters of a passage.
    ends = [*places[1:], len(text)]
    gone = {place for at in copied for place in range(places[at], ends[at] if at + 1 in copied else places[at] + 1)}
    gone |= _whole_lines(text, document)
    return "".join(" " if place in gone and letter != "\n" else letter for place, letter in enumerate(text))


def _letters(text: str) -> str:
    # One letter for each, even where case folding gives two (`ß`), so that both have the same places.
    return "".join(letter.casefold()[:1] for letter in text if letter.isalnum())


def _copied(letters: str, rows: frozenset[str], length: _Length) -> set[int]:
    """The places of the letters that belong to a row of letters in `rows`."""
    found = ((start, row) for start, row in enumerate(_rows_in(letters, length)) if row in rows)
    return {place for start, row in found for place in range(start, start + len(row))}


def _rows_in(letters: str, length: _Length) -> Iterable[str]:
    """The row of letters that begins at each letter; the last ones are cut short by the end."""
    return (letters[start : start + length[letter >= _FIRST_SPACELESS]] for start, letter in enumerate(letters))


@lru_cache(maxsize=512)
def _rows(text: str, length: _Length) -> frozenset[str]:
    return frozenset(row for row in _rows_in(_letters(text), length) if len(row) == length[row[0] >= _FIRST_SPACELESS])


def _phrases_in(letters: str, document: str) -> set[int]:
    """The places of the letters in lines, sentences and cells of the document that are too short for a row."""
    copied: set[int] = set()
    for phrase in _phrases(document):
        at = letters.find(phrase)
        while at >= 0:
            copied.update(range(at, at + len(phrase)))
            at = letters.find(phrase, at + 1)
    return copied


@lru_cache(maxsize=16)
def _phrases(document: str) -> frozenset[str]:
    """Those lines, sentences and cells, also without the mark they begin with."""
    lines = re.split(r"(?<=[.。])\s+|\n", document)
    return frozenset(
        letters
        for parts, least in ((lines, SHORT_LINE), (sentences(document), SHORT_SENTENCE))
        for part in parts
        for letters in (_letters(part), _letters(_LIST_MARK.sub("", part)))
        if least[letters[:1] >= _FIRST_SPACELESS] <= len(letters) < DOCUMENT_ROW[letters[:1] >= _FIRST_SPACELESS]
    )


def _whole_lines(text: str, document: str) -> set[int]:
    """The places of lines that stand in the document, however short."""
    copied, start = set[int](), 0
    for line in text.split("\n"):
        if _letters(line) in _lines(document):
            copied.update(range(start, start + len(line)))
        start += len(line) + 1
    return copied


@lru_cache(maxsize=16)
def _lines(document: str) -> frozenset[str]:
    return frozenset(filter(None, map(_letters, document.split("\n"))))


@lru_cache(maxsize=8)
def _key_rows(key: Key, length: _Length) -> frozenset[str]:
    return frozenset[str]().union(*(_rows(text, length) for text in _key_texts(key)))


@lru_cache(maxsize=64)
def _word_rows(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return frozenset(tuple(words[place : place + GRAM]) for place in range(len(words) - GRAM + 1))


@lru_cache(maxsize=8)
def _key_word_rows(key: Key) -> frozenset[tuple[str, ...]]:
    return frozenset[tuple[str, ...]]().union(*map(_word_rows, _key_texts(key)))


@lru_cache(maxsize=8)
def _key_letters(key: Key) -> frozenset[str]:
    return frozenset(filter(None, map(_letters, _key_texts(key))))


def _key_texts(key: Key) -> Iterable[str]:
    for problem in key.problems:
        criteria = problem.criteria
        parts = (criteria.detected, criteria.partial, criteria.missed)
        yield from (problem.description, *parts)
        # Around short criteria, the labels of a key would make most of what is pasted.
        yield "Detection criteria: Detected: {} Partial: {} Not detected: {}".format(*parts)
    for entry in key.bonuses:
        yield from (entry.content, entry.condition)
