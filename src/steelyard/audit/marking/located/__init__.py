"""Marks by place: for tools that name a file and a line, against keys that do (docs/scoring.md §2.1).

A finding is ○ for a problem if it names a place within 3 lines of the problem's location and is of the problem's kind
(`kind`); anything else is ×. A region of more than 20 lines is no place. A problem whose location is a file without
lines is marked by file and kind. What a report says nearly everywhere earns nothing (`scatter`). Findings at no
problem's place are neither bonus nor penalty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.audit.findings.locations import locations
from steelyard.audit.marking.located.kind import Subject, kinds, particular
from steelyard.audit.marking.located.places import Place, place_of, same_place
from steelyard.audit.marking.located.scatter import OneKind, scattered
from steelyard.audit.model import Claim, Finding, Key, Location, Marks, Output, Problem, Ruling
from steelyard.errors import InputError

NAME = "location: within 3 lines and of the problem's kind"


def located_marks(key: Key, output: Output) -> Marks:
    """Marks for one run by file, line and kind; `InputError` if the key names no place at all."""
    places = {problem.id: _places(problem) for problem in key.problems}
    if not any(places.values()):
        raise InputError(
            "no problem of the key names a file or a line, so nothing can be marked by place",
            cure="write `- **Location**: app/views.py:42`, or mark with --lexical, --marks or --judge",
        )
    subjects = [(finding, Subject(finding), _named(finding)) for finding in output.findings]
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


def _by_kind(key: Key, subjects: Sequence[tuple[Finding, Subject, tuple[Place, ...]]]) -> list[OneKind]:
    """The problems of each kind, and the findings that are of it with the places they name."""
    known = kinds(key.problems)
    distinct = tuple(dict.fromkeys(known.values()))
    spoken = [(finding, frozenset(particular(subject, distinct)), named) for finding, subject, named in subjects]
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
    subjects: Sequence[tuple[Finding, Subject, tuple[Place, ...]]],
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
