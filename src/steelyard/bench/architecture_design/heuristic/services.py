"""The names of services: one service, many spellings.

Law: names are compared in lower case; `Amazon` and `AWS` in front do not matter; hyphen and space are one. The longest
name wins where two overlap (`Kinesis Firehose` is no mention of `Kinesis`). Some names stand for several services
(`ELB`, `Postgres`): such a mention counts for each of them, and never as a foreign service where one of them is
expected. A *noun* (`the queue`) is a mention only in a task that has exactly one service it can mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, cast

from steelyard.yamlfile import parse

_PREFIX = re.compile(r"^(?:amazon|aws)[\s-]+", re.IGNORECASE)
_ASIDE = re.compile(r"\([^)]*\)")


class Mention(NamedTuple):
    """A service named in a text."""

    start: int
    end: int
    services: frozenset[str]
    """What the words may mean; for a noun, the components they may stand for."""


class Vocabulary:
    """Spellings to services, and a search for all of them at once."""

    def __init__(self, names: Mapping[str, frozenset[str]]) -> None:
        self._names = names
        self.services = frozenset(service for meant in names.values() for service in meant)
        """Everything that can be meant."""
        self._pattern = pattern(names)

    def mentions(self, text: str) -> list[Mention]:
        """All mentions in a text of lower case, in order, none overlapping another."""
        if self._pattern is None:
            return []
        return [
            Mention(found.start(), found.end(), self._names[folded(found.group())])
            for found in self._pattern.finditer(text)
        ]

    def meaning(self, name: str) -> frozenset[str]:
        """The services a name stands for: what all parts of it agree on, else what the first part says."""
        found = [mention.services for mention in self.mentions(_ASIDE.sub(" ", name).lower())]
        if not found:
            return frozenset()
        agreed = {service for service in found[0] if all(service in each for each in found)}
        return frozenset(agreed) or found[0]


@cache
def vocabulary() -> Vocabulary:
    """Every spelling of every service."""
    names: dict[str, set[str]] = {}
    for service, spellings in _data()["services"].items():
        for spelling in (service, *spellings):
            names.setdefault(folded(spelling), set()).add(service)
    return Vocabulary({name: frozenset(found) for name, found in names.items()})


def nouns(services: Iterable[frozenset[str]]) -> Vocabulary:
    """The nouns that mean exactly one of the components of a task, each given by the services it may be."""
    components = list(services)
    useful: dict[str, frozenset[str]] = {}
    for noun, meant in _data()["nouns"].items():
        fitting = [component for component in components if component & frozenset(meant)]
        if len(fitting) == 1:
            useful[folded(noun)] = fitting[0]
    return Vocabulary(useful)


def plain(name: str) -> str:
    """A name in lower case, without the vendor in front and without asides in brackets."""
    return " ".join(_PREFIX.sub("", _ASIDE.sub(" ", name).strip()).lower().split())


def folded(name: str) -> str:
    """A spelling as a key: lower case, hyphens as spaces, single spaces."""
    return " ".join(name.lower().replace("-", " ").split())


def pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """A search for any of the names as whole words, the longest first; None when there are none."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    if not ordered:
        return None
    bodies = "|".join(r"[\s-]+".join(map(re.escape, name.split(" "))) for name in ordered)
    return re.compile(rf"(?<![\w-])(?:{bodies})(?![\w])")


@cache
def _data() -> Mapping[str, Mapping[str, Sequence[str]]]:
    text = files("steelyard.bench.architecture_design").joinpath("services.yaml").read_text(encoding="utf-8")
    return cast(Mapping[str, Mapping[str, Sequence[str]]], parse(text, "services.yaml").data())
