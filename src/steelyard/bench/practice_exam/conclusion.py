"""The last word of a reply without a label: `It's B`, `B is the correct answer`, `So the answer must be B`.

Read by the form of the sentence, not by a list of sentences. What is asked of it:

- it is the last sentence of the reply that names a choice;
- the letters stand together and the sentence names no other;
- `thing is letters`, `letters are the thing`, `it is letters`, `thing: letters` or `I choose letters`, where a thing is
  an answer, a choice, an option, …, with any words before it but those that take it back (`wrong`, `other`, `not`).

A sentence that judges a choice (`B is cheap`) is no conclusion: a reply that was cut off ends in one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set

Conclusion = tuple[list[str], str]
"""Letters, and what follows them in their sentence."""
Leading = Callable[[str], tuple[list[str], str]]
"""Reads the letters at the beginning of a text, and what follows them."""

_THING = r"(?:answer|choice|option|selection|pick|solution|decision|conclusion|verdict|vote|result)s?"
_BACK = (
    r"(?:wrong|incorrect|false|worst|other|remaining|rejected|eliminated|excluded|second|not|no|never|neither|nor"
    r"|if|unless|whether|when|\w+n't)"
)
_DENIED = rf"(?!{_BACK}\b)"
_WORDS = rf"(?:{_DENIED}[\w']+,?\s+)"
_BE = r"(?:\s+(?:must|should|would|will|can\s+only|has\s+to|have\s+to)\s+be|\s+(?:is|are)|'s)\b"
_PLACE = rf"(?:\s+here|\s+(?:to|for|in)(?:\s+{_DENIED}[\w']+){{1,3}}?)"
_TAKE = r"(?:choos|pick|select|answer|go(?:ing)?\s+(?:with|for))(?:e|ing)?"
# Repetitions are bounded, so that a long reply takes linear time.
_BEFORE = re.compile(
    rf"(?:{_WORDS}{{0,6}}?{_THING}(?:{_PLACE}?{_BE}\s*:?|\s*[:=→]|\s[-–—]+>?)"
    rf"|{_WORDS}{{0,2}}?(?:final|correct|right)\s*:"
    rf"|{_WORDS}{{0,2}}?(?:so|thus|hence|therefore),?(?=\s+\(?[A-Z]\)?\W*$)"
    rf"|(?:{_WORDS}{{0,4}}?)(?:it|that|this){_BE}"
    rf"|(?:{_WORDS}{{0,4}}?)(?:I|we)(?:'\w+|\s+(?:am|are|will|would|should|must))?\s+{_TAKE})\s+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"{_BE}\s+(?:also\s+|equally\s+)?(?:(?:the|my)\s+{_WORDS}{{0,3}}?{_THING}|{_DENIED}(?:correct|right))(?=\s*(?:[.,;!:)]|because\b|since\b|as\b|$))",
    re.IGNORECASE,
)
_CLAUSE = frozenset(["is", "are", "was", "would", "could", "might", "may", "seem", "seems", "work", "works"])
"""The letters are the subject of what follows: `It's A, B is also right`."""
# `I` is left out because it is usually the pronoun.
_FIRST = re.compile(rf"{_WORDS}{{0,3}}?(?=(?:(?:options?|choices?|answers?)\s+)?\(?[A-HJ-Z]\b)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n+")
_NAMED = re.compile(r"(?<![\w'’-])\(?([A-Z])(?![\w'’&/-])(?<!A)|(?<![\w'])(A)(?=\W*$|\)| is\b| and\b|,)")
"""A choice; an A before a noun is an article."""
_LONGEST = 200
"""Characters of a sentence that can be a conclusion."""


def taken_back(before: str) -> bool:
    """Whether the last word before an answer says that it is none: `the wrong` answer is B."""
    # Only the last words: this runs for every match, and the text before it may be long.
    return re.search(rf"\b{_BACK}\s+$", before[-40:], re.IGNORECASE) is not None


def another(rest: str) -> bool:
    """Whether what follows an answer says that another choice is right too: `A (but B is also right)`."""
    letters = re.finditer(r"(?<![\w'])\(?[A-Z]\)?(?=[\s'])", rest)
    return any(_AFTER.match(f" {rest[letter.end() :].lstrip()}") for letter in letters)


def conclusions(text: str, allowed: Set[str], leading: Leading) -> list[Conclusion]:
    """The conclusions of an unmarked reply in order; none if the last sentence that names a choice is not one."""
    sentences = [sentence.strip() for sentence in _SENTENCE.split(text) if allowed & _named(sentence)]
    found = [_concluded(sentence, leading) for sentence in sentences]
    # If the reply goes on to discuss another choice, what came before was no conclusion.
    return [one for one in found if one] if found and found[-1] else []


def _concluded(sentence: str, leading: Leading) -> Conclusion | None:
    if len(sentence) > _LONGEST:
        return None
    sentence = sentence.replace("’", "'")
    if (before := _BEFORE.match(sentence)) is not None:
        letters, rest = leading(sentence[before.end() :])
        if letters:
            following = re.match(r"\s*(\w*)", rest)
            return None if following and following[1].lower() in _CLAUSE else (letters, rest)
    if (first := _FIRST.match(sentence)) is None:
        return None
    letters, rest = leading(sentence[first.end() :])
    after = _AFTER.match(f" {rest.lstrip()}") if letters else None
    return (letters, f" {rest.lstrip()}"[after.end() :]) if after else None


def _named(sentence: str) -> set[str]:
    return {letter for match in _NAMED.finditer(sentence) for letter in match.groups() if letter}
