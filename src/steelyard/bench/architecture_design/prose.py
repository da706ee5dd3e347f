"""The prose of an answer as sentences: what a reader sees, without blocks, and what was copied or repeated blanked.

Law:
- Read is NFKC without invisible characters and HTML comments, at most `LIMIT` characters; fenced blocks are no prose.
- A run of `RUN` words or more that occurs in the prompt is copied, one that occurs earlier in the answer is repeated.
  Both are blanked: they state nothing and do not count as words.
- A *passage* is up to `PASSAGE` sentences in a row. It is language if at least a share `SHORT` of its words are short
  words in small letters (`to`, `is`, `for`): a list of names or keywords has next to none, in any European language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from steelyard.bench.architecture_design.diagram.blocks import parts
from steelyard.text import STRAIGHT, normalised, without_comments

LIMIT = 60_000
"""Characters of an answer that are read."""
RUN = 8
"""Words in a row that make a copy."""
PASSAGE = 3
"""Sentences in a row in which an element is looked for."""
SHORT = 0.12
"""Share of short words in small letters from which words are language."""

# Repetitions are bounded because answers may be hostile.
_MARKUP = re.compile(r"[*`#|>~\"]|(?<!\w)_{1,3}|_{1,3}(?!\w)|^[ \t]*(?:[-+•–]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_STOP = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD = re.compile(r"\w+(?:[.,:/'-]\w+)*%?")


@dataclass(frozen=True, slots=True)
class Prose:
    """The prose of one answer, ready to search."""

    sentences: tuple[str, ...]
    """In lower case; blanked words are left out."""
    language: tuple[bool, ...]
    """Per sentence: whether the passage that begins with it is language."""
    words: int
    """Words that are neither copied nor repeated."""
    repeated: float
    """Share of all words that repeat earlier ones."""
    hidden: bool
    """Whether invisible characters were removed."""


def read(answer: str, prompt: str = "") -> Prose:
    """The prose of an answer; `prompt` is what the subject saw."""
    shown, removed = normalised(answer[:LIMIT], LIMIT)
    plain = _MARKUP.sub(" ", parts(without_comments(shown)).prose.translate(STRAIGHT))
    sentences = [sentence for sentence in _STOP.split(plain) if _WORD.search(sentence)]
    lower = [word.lower() for sentence in sentences for word in words(sentence)]
    runs, known = _runs(lower), _known(prompt)
    # Reversed, so that the dictionary keeps the first place of each run.
    first = {run: start for start, run in reversed(list(enumerate(runs)))}
    copied = _places(run in known for run in runs)
    repeated = _places(first[run] < start for start, run in enumerate(runs))
    blank, number = copied | repeated, count()  # words are counted through the whole answer
    kept = [_WORD.sub(lambda word: "" if next(number) in blank else word[0], sentence) for sentence in sentences]
    language = (is_language(kept[start : start + PASSAGE]) for start in range(len(kept)))
    share = len(repeated - copied) / len(lower) if lower else 0.0
    lowered = tuple(text.lower() for text in kept)
    return Prose(lowered, tuple(language), len(lower) - len(blank), share, removed > 0)


@lru_cache(maxsize=64)
def _known(prompt: str) -> frozenset[tuple[str, ...]]:
    """The runs of a prompt."""
    return frozenset(_runs(words(_MARKUP.sub(" ", normalised(prompt).text.translate(STRAIGHT)).lower())))


def words(text: str) -> list[str]:
    """The words of a text."""
    return _WORD.findall(text)


def _runs(said: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(said[start : start + RUN]) for start in range(len(said) - RUN + 1)]


def _places(hits: Iterable[bool]) -> set[int]:
    """The indices of the words in the runs that are hits."""
    return {start + place for start, hit in enumerate(hits) if hit for place in range(RUN)}


def is_language(sentences: Iterable[str]) -> bool:
    """Whether sentences, in their own letters, are language and not a list."""
    said = [word for sentence in sentences for word in words(sentence)]
    return bool(said) and sum(map(_little, said)) >= SHORT * len(said)


def _little(word: str) -> bool:
    # Words in capitals are names (`S3`, `VPC`), the stuff of keyword lists.
    return len(word) <= 3 and word.isalpha() and not any("A" <= letter <= "Z" for letter in word)
