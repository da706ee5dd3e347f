"""Places: a file, some lines of it, or both, and when two are the same place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from steelyard.audit.model import Location

NEAR = 3
"""Lines between a finding and a problem's location that still count as the same place."""
WIDEST = 20
"""Lines of the longest region that is still a place."""


class Place(NamedTuple):
    """A file, some lines of it, or both."""

    parts: tuple[str, ...]
    """The path; empty if only lines are named."""
    lines: tuple[int, int] | None
    """First and last; None for a whole file."""

    @property
    def is_place(self) -> bool:
        """Whether it is short enough to say where something is."""
        return self.lines is None or self.lines[1] - self.lines[0] < WIDEST


def place_of(location: Location) -> Place:
    """A location as a place."""
    parts = PurePosixPath(location.path).parts if location.path else ()
    if location.line is None:
        return Place(parts, None)
    end = location.end or location.line
    return Place(parts, (min(location.line, end), max(location.line, end)))


def same_place(named: Sequence[Place], places: Sequence[Place]) -> bool:
    """Whether one of the places a finding names is one of a problem's places."""
    return any(_near(one, place) and same_file(one.parts, place.parts) for place in places for one in named)


def _near(one: Place, place: Place) -> bool:
    if place.lines is None:
        return bool(one.parts)
    # A finding that names only the file may be about any line of it.
    if one.lines is None:
        return False
    # Negative where they overlap.
    return max(one.lines[0], place.lines[0]) - min(one.lines[1], place.lines[1]) <= NEAR


def same_file(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two paths can be one file: one is the end of the other, or none is given; a name may lack its ending."""
    if not one or not other:
        return True
    shared = min(len(one), len(other))
    ends, others = tuple(one[-shared:]), tuple(other[-shared:])
    return ends == others or (ends[:-1] == others[:-1] and _bare(ends[-1], others[-1]))


def _bare(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return "." not in short and long.partition(".")[0] == short
