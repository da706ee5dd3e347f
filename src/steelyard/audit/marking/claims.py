"""A finding's own claims, in sentences, about what it read: all of it that may earn something.

Left out before words are compared: passages copied from the document or from the key (letters in a row, so that
punctuation and layout do not matter), sentences that deny or only ask, and sentences that address the marker. Letters
that look like Latin ones are read as these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from steelyard.audit.marking.terms import is_spaceless
from steelyard.audit.model import Key

DOCUMENT_ROW = (28, 20)
"""Letters in a row that make a passage a copy of the document; the second number is for spaceless scripts."""
KEY_ROW = (48, 32)
"""The same for the key: reviewers who never saw it share phrases with it, but not whole clauses."""

SHORT_ROW = (20, 12)
"""Letters in a row that count towards the share of a finding that is copied."""
COPIED_SHARE = 0.5
"""Share of a finding's letters, in such rows, from which on the finding is a copy."""
KEY_PHRASE = (40, 24)
"""Fewer letters in common with the key are the name of a thing: whoever finds the problem has to use it."""

WHOLE_SHARE = 0.9
"""Share from which on even a short finding is a copy of the key."""

OPENING = 2
"""Sentences, the title among them, of which one that denies takes back the whole finding."""
BARE = 24
"""Letters of a sentence up to which it says nothing besides its denial."""
SHORT_LINE, SHORT_SENTENCE = (16, 10), (20, 12)
"""Letters of a line, or of a sentence or cell, of the document from which on it is a copy wherever it occurs."""

# A full stop ends a sentence after two letters or a closing mark, so not in `e.g.` or `3.`.
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d]{2}[.!])\s+|(?<=[)\]`\"'’”][.!])\s+|(?<=\?)\s+|(?<=[。！？])|\n|(?<=[^|\s])\s*\|\s*(?=[^|\s])"
)
_FIRST_SPACELESS = "\u3040"
"""Letters from here on belong to scripts without spaces; exceptions do not matter for copies."""
_QUESTION = re.compile(r"[?？][\s\"'”’)*_`]*$|(?:でしょうか|ますか|ですか|のだろうか|ないか)[。.]?\s*$")
_INQUIRES = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|might|should|would|has|have|what|why|how|who|where) ",
    re.IGNORECASE,
)
_WONDERS = re.compile(r"^\W*(?:i wonder|one (?:may|might) (?:ask|wonder)|who knows)\b", re.IGNORECASE)
# These nouns alone make `there is no …` a denial: `There is no rate limit.` is a finding.
_FAULT = r"(?:such |real |actual |serious )?(?:problem|issue|concern|defect|bug|fault)s?"
_THESE = rf"(?:this|these|the following|(?:any |such an? )?{_FAULT})"
_CLAIM = r"(?:say|claim|believe|think|conclude|assume|argue|suppose|worry)"
_DENIAL = re.compile(
    r"\b(?:(?:it|this|that|which) (?:is|was)|it's|that's) (?:simply |just )?(?:not|never|hardly|by no means)"
    r" (?:really |actually |at all )?(?:the case|true|so that|correct|right|accurate|a fact)\b"
    r"|\b(?:it|this|that|which) (?:isn't|wasn't) (?:the case|true|correct|right|accurate|a fact|so)\b"
    r"|\b(?:is|are|was|it's|be) (?:simply |just )?(?:false|untrue|wrong|incorrect|mistaken|a mistake|a myth)"
    rf" (?:that|to {_CLAIM})\b"
    r"|\b(?:no|hardly any) (?:one|body|reviewer|reader|auditor|engineer)s? (?:can|could|should|would|will|must)"
    rf" {_CLAIM}\b|\bno reason to {_CLAIM} that\b"
    rf"|\b(?:does not|do not|did not|doesn't|don't) (?:suffer from|have) {_THESE}\b"
    rf"|\b(?:is|are) free (?:of|from) {_THESE}\b"
    r"|\b(?:the following|none of (?:this|it|these|the following)|nothing of this|all of this) (?:is|are)"
    rf" (?:not )?(?:false|untrue|true|wrong|the case|(?:an? )?{_FAULT})\b"
    rf"|\bthere (?:is|are) (?:absolutely |really )?(?:no|not any) {_FAULT}\b"
    rf"|\bno {_FAULT} (?:was|were|is|are|could be) (?:found|seen|here|detected)\b"
    r"|\b(?:i|we) (?:do not|don't|did not|didn't|cannot|can't) (?:think|believe|see|claim|say|find)"
    rf" (?:that|any {_FAULT})\b"
    rf"|\bnobody (?:can|could|should|would|will) {_CLAIM}\b|\b(?:i|we) (?:deny|doubt|rule out|disagree) that\b"
    rf"|\b(?:is|are) not (?:a|an|any) {_FAULT}\b|^[\W\d]*(?:not|no) (?:a |an |any )?{_FAULT}\W*$"
    r"|\bit is not that\b|\bfar from (?:the truth|true)\b|\bcontrary to (?:fact|the truth)\b"
    r"|(?:という|と言う)?(?:こと|わけ|訳|の)で?は(?:ない|ありません)[。.]?\s*$"
    r"|問題(?:は|が|も)?(?:特に)?(?:ない|ありません|なし|見当たら)|(?:事実|正しく|真実)(?:では|は)?(?:ない|ありません)",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^\W*(?:\d{1,3}[.)]\s+)?")
_TAKEN_BACK = re.compile(r"(?:という|と言う)(?:こと|わけ|訳|事実|の)(?:で)?は(?:ない|ありません)[。.]?\s*$")


def copies_of(text: str, key: Key, document: str = "") -> str:
    """What a finding mainly copies: `key`, `document` or nothing."""
    letters = sum(map(str.isalnum, text))
    if _letters(text) in _key_letters(key):
        return "key"
    copied = _copied_letters(text, _key_rows(key, SHORT_ROW))
    least = max(letters * COPIED_SHARE, min(KEY_PHRASE[is_spaceless(text)], letters * WHOLE_SHARE))
    if letters and copied >= least:
        return "key"
    recited = bool(document) and _copied_letters(text, _rows(document, SHORT_ROW)) >= letters * COPIED_SHARE
    return "document" if letters and recited else ""


def _copied_letters(text: str, rows: frozenset[str]) -> int:
    return sum(text[place].isalnum() for place in _copied(text, rows, SHORT_ROW))


def sentences(text: str) -> list[str]:
    """The sentences, lines and table cells of a text."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def own_claims(text: str, key: Key, document: str = "") -> str:
    """What is left of a finding; empty if nothing is."""
    said = without_copies(text, key, document)
    parts = sentences(said)
    if parts and _QUESTION.search(parts[-1]) and _INQUIRES.match(parts[0]):
        return ""  # one long question
    opening = [part for place, part in enumerate(parts[:OPENING]) if place == 0 or not _asks(part)]
    if any(map(_DENIAL.search, opening)) or (parts and _is_bare_denial(parts[-1])):
        return ""  # what follows only elaborates on what it denies, and a bare denial at the end takes all back
    stated = [part for part in parts if not _asks(part)]
    if 2 * len(stated) < len(parts):
        return ""  # mostly questions
    return "\n".join(part for part in stated if not _DENIAL.search(part))


def _is_bare_denial(sentence: str) -> bool:
    if _TAKEN_BACK.search(sentence):
        return True
    bare = sum(map(str.isalnum, sentence)) <= BARE and not _asks(sentence)
    return bare and _DENIAL.search(sentence) is not None


def without_copies(text: str, key: Key, document: str = "") -> str:
    """A text without the passages that stand in the document or in the key's descriptions and criteria."""
    copied = _copied(text, _key_rows(key, KEY_ROW), KEY_ROW)
    if document:
        copied |= _copied(text, _rows(document, DOCUMENT_ROW), DOCUMENT_ROW) | _whole_lines(text, document)
    return "".join(" " if place in copied and letter != "\n" else letter for place, letter in enumerate(text))


def _whole_lines(text: str, document: str) -> set[int]:
    """The places of lines that stand in the document however short, and of those too short for a row."""
    known, copied, start = _lines(document), set[int](), 0
    for line in text.split("\n"):
        if _letters(line) in known:
            copied.update(range(start, start + len(line)))
        start += len(line) + 1
    places = [place for place, letter in enumerate(text) if letter.isalnum()]
    # One letter for each, even where case folding gives two (`ß`), so that both have the same places.
    letters = "".join(text[place].casefold()[:1] for place in places)
    for phrase in _phrases(document):
        at = letters.find(phrase)
        while at >= 0:
            copied.update(range(places[at], places[at + len(phrase) - 1] + 1))
            at = letters.find(phrase, at + 1)
    return copied


def _letters(line: str) -> str:
    return "".join(letter.casefold()[:1] for letter in line if letter.isalnum())


def _asks(sentence: str) -> bool:
    return _QUESTION.search(sentence) is not None or _WONDERS.match(sentence) is not None


def _copied(text: str, rows: frozenset[str], lengths: tuple[int, int]) -> set[int]:
    """The places of the letters that belong to a row of letters in `rows`."""
    places = [place for place, letter in enumerate(text) if letter.isalnum()]
    copied: set[int] = set()
    for start, row in enumerate(_rows_in([text[place] for place in places], lengths)):
        if row in rows:
            copied.update(range(places[start], places[start + len(row) - 1] + 1))
    return copied


def _rows_in(letters: Iterable[str], lengths: tuple[int, int]) -> list[str]:
    """The row of letters that begins at each letter; the last ones are cut short by the end."""
    folded = "".join(letter.casefold()[:1] for letter in letters)
    ends = (start + lengths[letter >= _FIRST_SPACELESS] for start, letter in enumerate(folded))
    return [folded[start:end] for start, end in enumerate(ends)]


@lru_cache(maxsize=512)
def _rows(text: str, lengths: tuple[int, int]) -> frozenset[str]:
    rows = _rows_in(filter(str.isalnum, text), lengths)
    return frozenset(row for row in rows if len(row) == lengths[row[0] >= _FIRST_SPACELESS])


@lru_cache(maxsize=16)
def _lines(document: str) -> frozenset[str]:
    return frozenset(filter(None, map(_letters, document.split("\n"))))


@lru_cache(maxsize=16)
def _phrases(document: str) -> frozenset[str]:
    """The lines, sentences and cells of a document that are too short for a row, without the mark they begin with."""
    phrases: set[str] = set()
    lines = re.split(r"(?<=[.。])\s+|\n", document)
    for parts, least in ((lines, SHORT_LINE), (sentences(document), SHORT_SENTENCE)):
        for part in parts:
            for letters in (_letters(part), _letters(_LIST_MARK.sub("", part))):
                wide = letters[:1] >= _FIRST_SPACELESS
                if least[wide] <= len(letters) < DOCUMENT_ROW[wide]:
                    phrases.add(letters)
    return frozenset(phrases)


@lru_cache(maxsize=8)
def _key_rows(key: Key, lengths: tuple[int, int]) -> frozenset[str]:
    rows: set[str] = set()
    for text in _key_texts(key):
        rows |= _rows(text, lengths)
    return frozenset(rows)


@lru_cache(maxsize=8)
def _key_letters(key: Key) -> frozenset[str]:
    return frozenset(filter(None, map(_letters, _key_texts(key))))


def _key_texts(key: Key) -> Iterable[str]:
    for problem in key.problems:
        criteria = problem.criteria
        yield from (problem.description, criteria.detected, criteria.partial, criteria.missed)
    for entry in key.bonuses:
        yield from (entry.content, entry.condition)
