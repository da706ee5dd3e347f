"""Is a finding of a problem's kind? By weakness (CWE), by the words of the category, or by those of the title.

A weakness is named by its number or by its own words (`Weak cryptography`, `hash`). Otherwise one shared word is not
enough: all words of the category, or two and at least half of those of the title. A category of one word that more than
half of the problems have (`Security`) says nothing about any of them. Paths are not words. A finding that is of three
kinds or more, and of half of all kinds in the key, is of none in particular.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.overlap import words
from steelyard.audit.findings.weaknesses import WEAKNESSES, cwes, weakness
from steelyard.audit.model import Finding, Location, Problem

_TITLE_WORDS, _TITLE_SHARE = 2, 0.5
_MANY = 3
"""Kinds from which a finding may be of none in particular."""
_COMMON = 0.5
"""Share of the problems above which a category of one word is not a kind."""
_TERMS = {name: [frozenset(words(term)) for term in name.split(", ")] for name in WEAKNESSES}
"""The words of each weakness, one set for each of its terms."""


class Kind(NamedTuple):
    """What a problem is about."""

    weaknesses: frozenset[str]
    category: frozenset[str]
    title: frozenset[str]


class Subject:
    """What a finding is about: its words without paths, and the weaknesses it names."""

    def __init__(self, finding: Finding) -> None:
        text = _without_paths(finding.text, finding.locations)
        self.words = frozenset(words(text))
        said = {name for name, terms in _TERMS.items() if any(term <= self.words for term in terms)}
        self.weaknesses = _numbered(text) | said

    def is_of(self, kind: Kind) -> bool:
        """Whether it is of this kind."""
        if kind.weaknesses & self.weaknesses or (kind.category and kind.category <= self.words):
            return True
        shared = len(kind.title & self.words)
        return shared >= max(_TITLE_WORDS, _TITLE_SHARE * len(kind.title))


def particular(subject: Subject, known: Sequence[Kind]) -> Iterable[Kind]:
    """The kinds that a finding is of; none if it speaks of nearly everything."""
    own = [kind for kind in known if subject.is_of(kind)]
    return () if len(own) >= _MANY and 2 * len(own) >= len(known) else own


def kinds(problems: Sequence[Problem]) -> Mapping[str, Kind]:
    """The kind of each problem, by id."""
    used = Counter(problem.category.casefold() for problem in problems)
    return {problem.id: _kind(problem, used[problem.category.casefold()] / len(problems)) for problem in problems}


def _kind(problem: Problem, share: float) -> Kind:
    places = locations(problem.location)
    category, title = (words(_without_paths(text, places)) for text in (problem.category, problem.title))
    if len(category) == 1 and share > _COMMON:
        category = set[str]()
    stated = " ".join((problem.category, problem.title, problem.description, *(text for _, text in problem.extra)))
    said = {name for name, terms in _TERMS.items() if category and any(category <= term for term in terms)}
    return Kind(_numbered(stated) | said, frozenset(category), frozenset(title))


def _numbered(text: str) -> frozenset[str]:
    """The weaknesses that a text names by number: what they are about, or the number where that is not known."""
    return frozenset(weakness(number) or f"CWE-{number}" for number in cwes(text))


def _without_paths(text: str, places: Iterable[Location]) -> str:
    for path in {place.path for place in places if place.path}:
        text = text.replace(path, " ")
    return text
