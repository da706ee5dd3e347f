"""Reports that say a thing nearly everywhere: where they are right it is by chance, and chance earns nothing.

    share = lines near findings of a kind, away from its problems / all lines away from its problems, in the key's files

The lines of a file are those up to the last one that the key names in it: how long it is, nobody says. Where the key
names files without lines, files are counted instead of lines.

A report may also scatter many kinds thinly. The share is the chance that a kind is named at a place where it is not; if
as many problems as were hit would be hit by that chance alone in more than one of twenty cases, none was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from steelyard.audit.marking.located.places import NEAR, Place, same_file, same_place
from steelyard.audit.model import Finding

LARGE, LARGE_OF_FILES = 0.25, 0.5
"""Share of the lines, or of the files, from which a report says a thing nearly everywhere."""
CHANCE = 0.05
"""Above this probability, hits are chance."""
_FEW = 3
"""Up to so many findings away from the problems are mistakes, however short the files are."""

_Spot = tuple[tuple[str, ...], int]
"""A file of the key and a line of it, 0 for the file."""
_Covered = frozenset[_Spot]


class OneKind(NamedTuple):
    """All problems of one kind, and the findings of that kind."""

    problems: list[str]
    findings: list[tuple[Finding, tuple[Place, ...]]]
    """Each with the places it names."""


def scattered(places: Mapping[str, Sequence[Place]], groups: Sequence[OneKind]) -> list[str]:
    """The problems whose kind the report sees nearly everywhere; all of them if its hits are no more than chance."""
    spots = _Spots([place for named in places.values() for place in named])
    true = [[place for name in group.problems for place in places[name]] for group in groups]
    strewn = [spots.strewn(own, group) for own, group in zip(true, groups, strict=True)]
    if sum(len(each.spots) for each in strewn) > _FEW and _by_chance(places, groups, strewn):
        return [problem for group in groups for problem in group.problems]
    large = [LARGE if any(place.lines for place in own) else LARGE_OF_FILES for own in true]
    return [
        problem
        for group, each, limit in zip(groups, strewn, large, strict=True)
        if len(each.spots) > _FEW and each.share > limit
        for problem in group.problems
    ]


class _Strewn(NamedTuple):
    """What findings of one kind cover away from its problems."""

    spots: frozenset[_Covered]
    """Of each of them; what is said twice at one place counts once."""
    share: float
    """Of all lines, or files, away from its problems."""


def _by_chance(places: Mapping[str, Sequence[Place]], groups: Sequence[OneKind], strewn: Sequence[_Strewn]) -> bool:
    """Whether findings strewn like this would hit as many problems by chance, in more than one of twenty cases."""
    hits, chances = 0, [1.0]  # the probability of each number of hits
    for group, each in zip(groups, strewn, strict=True):
        named = [place for _, own in group.findings for place in own]
        for problem in group.problems:
            hits += same_place(named, places[problem])
            if each.share:
                miss = 1 - each.share
                chances = [
                    none * miss + one * each.share for none, one in zip([*chances, 0.0], [0.0, *chances], strict=True)
                ]
    return hits > 0 and sum(chances[hits:]) > CHANCE


class _Spots:
    """Every line of the key's files, and every file."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._last: dict[tuple[str, ...], int] = {}
        for place in places:
            # So far a finding can still be at the last place.
            last = place.lines[1] + NEAR if place.lines else 0
            self._last[place.parts] = max(self._last.get(place.parts, 0), last)
        # A key may name thousands of files, so a finding is compared only with those of the same name.
        self._by_name: dict[str, list[tuple[str, ...]]] = {}
        for parts in self._last:
            self._by_name.setdefault(_stem(parts), []).append(parts)
        self._count = sum(max(last, 1) for last in self._last.values())

    def strewn(self, true: Sequence[Place], group: OneKind) -> _Strewn:
        """What these findings cover away from the true places."""
        right = {spot for place in true for spot in self._covered(place)}
        false = frozenset(spots for _, named in group.findings if (spots := self._all(named)) and not spots & right)
        away = self._count - len(right)
        return _Strewn(false, min(len(set[_Spot]().union(*false)) / max(away, 1), 1.0))

    def _all(self, named: Sequence[Place]) -> _Covered:
        return frozenset(spot for place in named for spot in self._covered(place))

    def _covered(self, place: Place) -> set[_Spot]:
        files = self._by_name.get(_stem(place.parts), []) if place.parts else list(self._last)
        same = [parts for parts in [*files, *self._by_name.get("", [])] if same_file(place.parts, parts)]
        return {(parts, line) for parts in same for line in self._lines(parts, place)}

    def _lines(self, parts: tuple[str, ...], place: Place) -> range:
        last = self._last[parts]
        if not last:
            return range(1)
        first, end = place.lines or (1, 0)
        return range(max(1, first - NEAR), min(last, end + NEAR) + 1)


def _stem(parts: Sequence[str]) -> str:
    return parts[-1].partition(".")[0] if parts else ""
