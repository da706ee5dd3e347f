"""Marks by place: for tools that name a file and a line, against keys that do (docs/scoring.md §2.1).

A finding is ○ for a problem if it names a place within 3 lines of the problem's location and is of the problem's kind;
anything else is ×. A region of more than 20 lines is no place. A problem whose location is a file without
lines is marked by file and kind. What a report says nearly everywhere earns nothing (`scatter`). Findings at no
problem's place are neither bonus nor penalty.

A kind is a weakness (CWE), the words of the category, or those of the title. A weakness is named by its number or by
its own words (`Weak cryptography`, `hash`). Otherwise one shared word is not enough: all words of the category, or two
and at least half of those of the title. A category of one word that more than half of the problems have (`Security`)
says nothing about any of them. Paths are not words. A finding that is of three kinds or more, and of half of all kinds
in the key, is of none in particular.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.overlap import words
from steelyard.audit.findings.weaknesses import WEAKNESSES, cwes, weakness
from steelyard.audit.marking.located.places import Place, place_of, same_place
from steelyard.audit.marking.located.scatter import OneKind, scattered
from steelyard.audit.model import Claim, Finding, Key, Location, Marks, Output, Problem, Ruling
from steelyard.errors import InputError

NAME = "location: within 3 lines and of the problem's kind"
_TITLE_WORDS, _TITLE_SHARE = 2, 0.5
_MANY = 3
"""Kinds from which a finding may be of none in particular."""
_COMMON = 0.5
"""Share of the problems above which a category of one word is not a kind."""
_TERMS = {name: [frozenset(words(term)) for term in name.split(", ")] for name in WEAKNESSES}
"""The words of each weakness, one set for each of its terms."""


class _Kind(NamedTuple):
    """What a problem is about."""

    weaknesses: frozenset[str]
    category: frozenset[str]
    title: frozenset[str]


class _Subject:
    """What a finding is about: its words without paths, and the weaknesses it names."""

    def __init__(self, finding: Finding) -> None:
        text = _without_paths(finding.text, finding.locations)
        self.words = frozenset(words(text))
        said = {name for name, terms in _TERMS.items() if any(term <= self.words for term in terms)}
        self.weaknesses = _numbered(text) | said

    def is_of(self, kind: _Kind) -> bool:
        """Whether it is of this kind."""
        if kind.weaknesses & self.weaknesses or (kind.category and kind.category <= self.words):
            return True
        shared = len(kind.title & self.words)
        return shared >= max(_TITLE_WORDS, _TITLE_SHARE * len(kind.title))


def located_marks(key: Key, output: Output) -> Marks:
    """Marks for one run by file, line and kind; `InputError` if the key names no place at all."""
    places = {problem.id: _places(problem) for problem in key.problems}
    if not any(places.values()):
        raise InputError(
            "no problem of the key names a file or a line, so nothing can be marked by place",
            cure="write `- **Location**: app/views.py:42`, or mark with --lexical, --marks or --judge",
        )
    subjects = [(finding, _Subject(finding), _named(finding)) for finding in output.findings]
    groups = _by_kind(key, subjects)
    everywhere = scattered(places, groups)
    claims = [
        Claim(problem, finding.index, "detected", finding.text.split("\n", 1)[0], str(finding.locations[0]))
        for problems, findings in groups
        for problem in problems
        if problem not in everywhere
        for finding, named in findings
        if same_place(named, places[problem])
    ]
    addressing = {claim.finding for claim in claims}
    rest = [finding for finding in output.findings if finding.index not in addressing]
    rulings = tuple(Ruling(finding.index, "neither", "at no problem's place") for finding in rest)
    return Marks(tuple(claims), rulings, flags=tuple(_flags(places, everywhere, subjects)))


def _places(problem: Problem) -> tuple[Place, ...]:
    """The lines of a problem, or the files if it names no line."""
    named = locations(problem.location)
    word = problem.location.strip(" `")
    if not named and word.isidentifier() and any(map(str.isdigit, word)):
        named = (Location(word),)  # a test case or class that is a file of its own
    with_lines = tuple(place_of(place) for place in named if place.line is not None)
    return with_lines or tuple(place_of(place) for place in named)


def _named(finding: Finding) -> tuple[Place, ...]:
    return tuple(place for place in map(place_of, finding.locations) if place.is_place)


def _by_kind(key: Key, subjects: Sequence[tuple[Finding, _Subject, tuple[Place, ...]]]) -> list[OneKind]:
    """The problems of each kind, and the findings that are of it with the places they name."""
    known = _kinds(key.problems)
    distinct = tuple(dict.fromkeys(known.values()))
    spoken = [(finding, frozenset(_particular(subject, distinct)), named) for finding, subject, named in subjects]
    return [
        OneKind(
            [name for name, own in known.items() if own == kind],
            [(finding, named) for finding, own, named in spoken if kind in own],
        )
        for kind in distinct
    ]


def _flags(
    places: Mapping[str, Sequence[Place]],
    everywhere: Sequence[str],
    subjects: Sequence[tuple[Finding, _Subject, tuple[Place, ...]]],
) -> list[str]:
    unplaced = [name for name, named in places.items() if not named]
    by_file = [name for name, named in places.items() if named and not any(place.lines for place in named)]
    wide = sum(any(location.line for location in finding.locations) and not named for finding, _, named in subjects)
    said = [
        (unplaced, f"no place in the key, so found by nobody: {_listed(unplaced)}"),
        (by_file, f"the key names a file and no line, so marked by file: {_listed(by_file)}"),
        (everywhere, f"says the same nearly everywhere, or hits by chance, which earns nothing: {_listed(everywhere)}"),
        (wide, f"{wide} findings span more than 20 lines, which is no place"),
    ]
    return [text for found, text in said if found]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def _particular(subject: _Subject, known: Sequence[_Kind]) -> Iterable[_Kind]:
    """The kinds that a finding is of; none if it speaks of nearly everything."""
    own = [kind for kind in known if subject.is_of(kind)]
    return () if len(own) >= _MANY and 2 * len(own) >= len(known) else own


def _kinds(problems: Sequence[Problem]) -> Mapping[str, _Kind]:
    """The kind of each problem, by id."""
    used = Counter(problem.category.casefold() for problem in problems)
    return {problem.id: _kind(problem, used[problem.category.casefold()] / len(problems)) for problem in problems}


def _kind(problem: Problem, share: float) -> _Kind:
    places = locations(problem.location)
    category, title = (words(_without_paths(text, places)) for text in (problem.category, problem.title))
    if len(category) == 1 and share > _COMMON:
        category = set[str]()
    stated = " ".join((problem.category, problem.title, problem.description, *(text for _, text in problem.extra)))
    said = {name for name, terms in _TERMS.items() if category and any(category <= term for term in terms)}
    return _Kind(_numbered(stated) | said, frozenset(category), frozenset(title))


def _numbered(text: str) -> frozenset[str]:
    """The weaknesses that a text names by number: what they are about, or the number where that is not known."""
    return frozenset(weakness(number) or f"CWE-{number}" for number in cwes(text))


def _without_paths(text: str, places: Iterable[Location]) -> str:
    for path in {place.path for place in places if place.path}:
        text = text.replace(path, " ")
    return text
