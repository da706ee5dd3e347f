"""Service names: one service, many spellings.

Law: names are compared in lower case, ignoring a leading `Amazon` or `AWS`; hyphens and spaces are equivalent. When
two names overlap, the longer one wins (`Kinesis Firehose` does not mention `Kinesis`). Some names may mean several
services (`ELB`, `Postgres`): such a mention counts for each of them, and is not foreign if any of them is expected. A
*noun* (`the queue`) counts as a mention only in a task with exactly one service it can mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from steelyard.bench.jsonl import read_text
from steelyard.yamlfile import parse

_ASIDE = re.compile(r"\([^)]*\)")
_VENDOR = re.compile(r"\A(?:amazon|aws)[ -]+")


class Vocabulary:
    """Maps spellings to services and finds all of them in one search."""

    def __init__(self, names: Mapping[str, frozenset[str]]) -> None:
        self._names = names
        self._pattern = _pattern(names)

    def mentions(self, text: str) -> list[frozenset[str]]:
        """For each name in a lower-case text, in order and without overlaps, the services that it may mean."""
        return [self._names[_folded(name)] for name in self._pattern.findall(text)]


@cache
def vocabulary() -> Vocabulary:
    """Every spelling of every service."""
    names: dict[str, frozenset[str]] = {}
    for service, spellings in _data()["services"].items():
        for spelling in map(_folded, (service, *spellings)):
            names[spelling] = names.get(spelling, frozenset()) | {service}
    return Vocabulary(names)


@cache
def nouns(components: frozenset[frozenset[str]]) -> Vocabulary:
    """The nouns that can mean only one of a task's components; a component is the set of services it may be."""
    unambiguous: dict[str, frozenset[str]] = {}
    for noun, services in _data()["nouns"].items():
        matching = [component for component in components if component & frozenset(services)]
        if len(matching) == 1:
            unambiguous[_folded(noun)] = matching[0]
    return Vocabulary(unambiguous)


def meaning(name: str) -> frozenset[str]:
    """The services a component name may mean: those common to all its mentions, else those of the first mention.

    A name outside the vocabulary means itself.
    """
    mentions = vocabulary().mentions(_ASIDE.sub(" ", name).lower()) or [frozenset({plain(name)})]
    return mentions[0].intersection(*mentions[1:]) or mentions[0]


def plain(name: str) -> str:
    """A name in lower case, without the vendor prefix and parentheses."""
    return " ".join(_VENDOR.sub("", _ASIDE.sub(" ", name).lower().strip()).split())


def _folded(name: str) -> str:
    """A spelling as a lookup key: lower case, with single spaces in place of hyphens and other whitespace."""
    return " ".join(name.lower().replace("-", " ").split())


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Matches any of the names as whole words, longest first; nothing if there are no names."""
    rest_by_letter: dict[str, list[str]] = {}  # else each word of a text would be compared with every name
    # Longest first: a pattern takes the first alternative that fits, and `Kinesis Firehose` is not `Kinesis`.
    for name in sorted(names, key=lambda name: (-len(name), name)):
        rest_by_letter.setdefault(name[0], []).append(r"[\s-]+".join(map(re.escape, name[1:].split(" "))))
    bodies = "|".join(f"{re.escape(letter)}(?:{'|'.join(rest)})" for letter, rest in rest_by_letter.items())
    return re.compile(rf"(?<![\w-])(?:{bodies or '(?!)'})(?![\w])")


@cache
def _data() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return parse(read_text("steelyard.bench.architecture_design", "services.yaml"), "services.yaml").data()
