"""Pairs of answers of equal length, one true and one false in stated places: what the scorers are measured on.

A pair is one text with places `{fact|true words|false words}`, as many words on either side, so that the number of
words says nothing about truth. Either version states the facts of its places and every second other one. The false
version is false in all its places and facts, or in its first three places and their facts; `share` is the share of its
facts that are true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from steelyard.bench.architecture_design.dataset import load, pairs
from steelyard.bench.architecture_design.facts import Fact, Value, fenced
from steelyard.bench.architecture_design.model import DesignItem, TruthPair

PLACE = re.compile(r"\{(\w+)\|([^|{}]*)\|([^|{}]*)\}")
"""Fact, true words, false words."""
FEW = 3
"""Places that are false where not all are."""


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two answers of a pair."""

    id: str
    pair: Literal["a", "b"]
    side: Literal["true", "false"]
    prose: str
    facts: Mapping[str, Value]
    false: tuple[str, ...]
    """The facts that it has wrong, in its text or only in its object."""

    @property
    def answer(self) -> str:
        """Prose and facts."""
        return f"{self.prose}\n\n{fenced(self.facts)}"

    @property
    def share(self) -> float:
        """The share of its facts that are true."""
        return 1 - len(self.false) / len(self.facts)


@cache
def versions() -> tuple[Version, ...]:
    """The true and the false version of every pair, in file order."""
    items = {item.id: item for item in load()}
    return tuple(_version(items[pair.id], pair, side) for pair in pairs() for side in ("true", "false"))


def wrong_value(fact: Fact) -> Value:
    """A wrong value: the first trap if there is one."""
    if fact.kind == "truth":
        return not fact.answer
    if fact.kind == "set":
        return tuple(str(trap) for trap in fact.traps[:1])
    if fact.traps:
        return fact.traps[0]
    if isinstance(fact.answer, (int, float)):
        return fact.answer + 2 * fact.within + 1
    return next(option for option in fact.options if option != fact.answer)


def _version(item: DesignItem, pair: TruthPair, side: Literal["true", "false"]) -> Version:
    names = [name for name, _, _ in PLACE.findall(pair.text)]
    given = [fact for number, fact in enumerate(item.facts) if fact.name in names or number % 2 == 0]
    false: set[str] = set()
    if side == "false":
        false = {fact.name for fact in given} if pair.false == "all" else set(names[:FEW])
    return Version(
        id=item.id,
        pair=pair.pair,
        side=side,
        prose=PLACE.sub(lambda place: place[3] if place[1] in false else place[2], pair.text),
        facts={fact.name: wrong_value(fact) if fact.name in false else fact.answer for fact in given},
        false=tuple(fact.name for fact in given if fact.name in false),
    )
